#include "sensors/hotness/clear_refs_source.hpp"

#include <cerrno>

#include "base/text/message_text.hpp"
#include "sensors/hotness/referenced_text.hpp"

namespace nearfork {
namespace {

constexpr const char* clear_file = "/proc/self/clear_refs";
constexpr const char* smaps_file = "/proc/self/smaps";

heat_refusal refused_file(const std::string& path, int error_number) {
  return {path + ": " + with_number(error_number),
          error_number == ENOENT ? "use a kernel with CONFIG_PROC_PAGE_MONITOR" : "let the process use its own /proc",
          error_number == ENOENT};
}

heat_refusal not_apart(int error_number) {
  return {"chunks cannot be kept apart: prctl(PR_SET_VMA) and madvise(MADV_DONTDUMP): " + with_number(error_number),
          "allow prctl or madvise in the sandbox's seccomp profile"};
}

heat_refusal unknown_form() {
  return {std::string(smaps_file) + " is not in the form that is known", "use another source of hotness"};
}

}  // namespace

int clear_refs_source::keep_apart(address_range chunk, bool apart) noexcept {
  if (by_ == mark::name) return system_->name_pages(chunk, apart ? "nearfork: gauged" : nullptr);
  return system_->keep_from_dumps(chunk, apart);
}

/// Names do no harm, but a kernel needs CONFIG_ANON_VMA_NAME for them.
int clear_refs_source::choose_mark(address_range page) noexcept {
  int refused = 0;
  for (const mark one : {mark::name, mark::no_dump}) {
    by_ = one;
    refused = keep_apart(page, true);
    if (refused == 0) return keep_apart(page, false);
  }
  return refused;
}

std::optional<heat_refusal> clear_refs_source::try_out() {
  if (const int refused = system_->files().try_to_open(clear_file); refused != 0)
    return refused_file(clear_file, refused);
  const file_text smaps = system_->files().read(smaps_file);
  if (smaps.error_number != 0) return refused_file(smaps_file, smaps.error_number);
  if (!referenced_mappings(smaps.text, {})) return unknown_form();
  if (const int refused = choose_mark(system_->own_page()); refused != 0) return not_apart(refused);
  return std::nullopt;
}

/// Every other chunk gets a mark: that keeps all apart.
std::optional<heat_refusal> clear_refs_source::begin(std::span<const address_range> chunks) {
  if (!chunks.empty())
    if (const int refused = choose_mark(system_->own_page()); refused != 0) return not_apart(refused);
  chunks_.clear();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    // Memory that was freed meanwhile has no mapping, and is no chunk any more.
    const int refused = i % 2 == 1 ? keep_apart(chunks[i], true) : 0;
    chunks_.push_back(chunks[i]);
    if (refused == 0 || refused == ENOMEM) continue;
    end();
    return not_apart(refused);
  }
  return std::nullopt;
}

std::optional<heat_refusal> clear_refs_source::open_window() {
  if (const int refused = system_->files().write(clear_file, "1"); refused != 0)
    return refused_file(clear_file, refused);
  if (const int refused = system_->forget_translations(); refused != 0)
    return heat_refusal{"translations cannot be forgotten: mprotect: " + with_number(refused),
                        "allow mprotect in the sandbox's seccomp profile"};
  return std::nullopt;
}

std::optional<heat_refusal> clear_refs_source::close_window(std::span<double> heat) {
  if (chunks_.empty()) return std::nullopt;
  const file_text smaps = system_->files().read(smaps_file);
  if (smaps.error_number != 0) return refused_file(smaps_file, smaps.error_number);
  const auto mappings = referenced_mappings(smaps.text, {chunks_.front().begin, chunks_.back().end});
  if (!mappings) return unknown_form();
  const auto page_bytes = static_cast<double>(system_->page_bytes());
  for (const referenced_mapping& one : *mappings)
    spread_heat(chunks_, one.range, static_cast<double>(one.referenced_bytes) / page_bytes, heat);
  return std::nullopt;
}

void clear_refs_source::end() noexcept {
  for (std::size_t i = 1; i < chunks_.size(); i += 2) (void)keep_apart(chunks_[i], false);  // freed memory refuses
  chunks_.clear();
}

}  // namespace nearfork
