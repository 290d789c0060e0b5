#include "sensors/hotness/page_idle_source.hpp"

#include <cerrno>

#include "base/text/message_text.hpp"
#include "machine/nodes/chunk_sample.hpp"

namespace nearfork {
namespace {

constexpr const char* frames_file = "/proc/self/pagemap";
constexpr const char* idle_file = "/sys/kernel/mm/page_idle/bitmap";
constexpr std::uint64_t bits_of_word = 64;

/// 0: the page is not there, or the system does not show its number.
std::uint64_t frame_in(std::uint64_t pagemap_entry) {
  constexpr std::uint64_t is_present = std::uint64_t{1} << 63;
  constexpr std::uint64_t frame_bits = (std::uint64_t{1} << 55) - 1;
  return (pagemap_entry & is_present) != 0 ? pagemap_entry & frame_bits : 0;
}

heat_refusal refused_idle(const std::string& path, int error_number) {
  return {path + ": " + with_number(error_number),
          error_number == ENOENT ? "use a kernel with CONFIG_IDLE_PAGE_TRACKING" : "run as root",
          error_number == ENOENT};
}

constexpr std::uint64_t bit_of(std::uint64_t frame) {
  return std::uint64_t{1} << frame % bits_of_word;
}

}  // namespace

std::optional<heat_refusal> page_idle_source::open_files() {
  word_file_opening idle = system_->open_words(idle_file, file_use::read_and_write);
  if (idle.file == nullptr) return refused_idle(idle_file, idle.error_number);
  word_file_opening frames = system_->open_words(frames_file, file_use::read);
  if (frames.file == nullptr) return refused_idle(frames_file, frames.error_number);
  std::uint64_t entry = 0;
  const int refused = frames.file->read(system_->own_page().begin / system_->page_bytes(), entry);
  if (refused != 0) return refused_idle(frames_file, refused);
  if (frame_in(entry) == 0)
    return heat_refusal{std::string(frames_file) + " hides the numbers of pages", "run as root"};
  idle_ = std::move(idle.file);
  frames_ = std::move(frames.file);
  return std::nullopt;
}

std::optional<heat_refusal> page_idle_source::try_out() {
  auto refused = open_files();
  end();
  return refused;
}

std::optional<heat_refusal> page_idle_source::begin(std::span<const address_range> chunks) {
  if (auto refused = open_files()) return refused;
  chunks_.assign(chunks.begin(), chunks.end());
  return std::nullopt;
}

/// A page whose mark does not stay (all but the first of a huge page, pages that are being moved) is not watched.
void page_idle_source::sample(std::size_t chunk) {
  const std::uint64_t page_bytes = system_->page_bytes();
  const std::uint64_t first = chunks_[chunk].begin / page_bytes;
  const auto pages = static_cast<std::uint32_t>(chunks_[chunk].end / page_bytes - first);
  const bool all = pages <= sampled_pages;
  for (std::uint32_t i = 0; i < (all ? pages : sampled_pages); ++i) {
    std::uint64_t entry = 0;
    if (frames_->read(first + (all ? i : random_.below(pages)), entry) != 0) continue;
    const std::uint64_t frame = frame_in(entry);
    std::uint64_t marks = 0;
    if (frame == 0 || idle_->write(frame / bits_of_word, bit_of(frame)) != 0) continue;
    if (idle_->read(frame / bits_of_word, marks) != 0 || (marks & bit_of(frame)) == 0) continue;
    watched_.push_back({chunk, frame});
    ++watched_of_[chunk];
  }
}

std::optional<heat_refusal> page_idle_source::open_window() {
  watched_.clear();
  watched_of_.assign(chunks_.size(), 0);
  for (std::size_t i = 0; i < chunks_.size(); ++i) sample(i);
  if (watched_.empty() && !chunks_.empty())
    return heat_refusal{std::string(idle_file) + " marks no page of the data", "use another source of hotness"};
  if (const int refused = system_->forget_translations(); refused != 0)
    return heat_refusal{"translations cannot be forgotten: mprotect: " + with_number(refused),
                        "allow mprotect in the sandbox's seccomp profile"};
  return std::nullopt;
}

std::optional<heat_refusal> page_idle_source::close_window(std::span<double> heat) {
  for (const sampled_page& one : watched_) {
    std::uint64_t marks = 0;
    if (const int refused = idle_->read(one.frame / bits_of_word, marks); refused != 0)
      return refused_idle(idle_file, refused);
    if ((marks & bit_of(one.frame)) != 0) continue;
    const address_range& chunk = chunks_[one.chunk];
    const std::uint64_t pages = (chunk.end - chunk.begin) / system_->page_bytes();
    heat[one.chunk] += static_cast<double>(pages) / watched_of_[one.chunk];
  }
  watched_.clear();
  return std::nullopt;
}

void page_idle_source::end() noexcept {
  idle_.reset();
  frames_.reset();
  chunks_.clear();
  watched_.clear();
}

}  // namespace nearfork
