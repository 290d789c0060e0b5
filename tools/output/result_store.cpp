#include "tools/output/result_store.hpp"

#include <fmt/format.h>

#include <utility>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "recording/checksum.hpp"
#include "recording/whole_file.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view first_line = "nearfork results 1\n";

/// Results of another build may differ, and have another layout.
std::uint32_t build_of_this_program() {
  static const std::uint32_t checksum = recordings::crc32c(recordings::read_whole_file("/proc/self/exe"));
  return checksum;
}

}  // namespace

result_store::result_store(const std::string& path, std::string option, std::string run)
    : file_(path, option), option_(std::move(option)), run_(std::move(run)), build_(build_of_this_program()) {
  if (file_.mark()) read(path);
}

void result_store::read(const std::string& path) {
  const auto refuse = [&](std::string_view why) {
    return error(
        fmt::format("nearfork: {} ({}) {}; remove it, or name another file", nearfork::quoted(path), option_, why));
  };
  const std::string all = recordings::read_whole_file(path, first_line);
  if (all.empty()) return;
  std::string_view left = all;
  if (!left.starts_with(first_line)) throw refuse("is no file of results that nearfork kept");
  left.remove_prefix(first_line.size());
  content kept;
  try {
    const auto checksum = value_of_bytes<std::uint32_t>(left);
    left.remove_prefix(sizeof checksum);
    if (checksum != recordings::crc32c(left)) throw refuse("is damaged");
    value_reader(left).read(kept);
  } catch (const error&) {
    throw refuse("is damaged");
  }
  if (kept.run != run_) throw refuse(fmt::format("has results of another run, {}, where this is {}", kept.run, run_));
  if (kept.build != build_) throw refuse("has results of another build of nearfork");
  for (std::size_t i = 0; i < kept.numbers.size(); ++i) entries_[kept.numbers[i]] = std::move(kept.entries.at(i));
  found_ = entries_.size();
}

const std::string* result_store::bytes_of(std::size_t number, std::string_view title) const {
  const auto found = entries_.find(number);
  if (found == entries_.end()) return nullptr;
  if (found->second.title != title)
    throw error(fmt::format("nearfork: result {} of {} ({}) is \"{}\", where this run has \"{}\"; remove the file",
                            number, nearfork::quoted(file_.absolute_path()), option_, found->second.title, title));
  return &found->second.bytes;
}

/// The whole file each time, so that it is never half a result: with 200 results it has a MiB.
void result_store::write(std::size_t number, entry made) {
  entries_[number] = std::move(made);
  content all{.build = build_, .run = run_, .numbers = {}, .entries = {}};
  for (const auto& [one, kept] : entries_) {
    all.numbers.push_back(one);
    all.entries.push_back(kept);
  }
  const std::string bytes = bytes_of_value(all);
  file_.write(std::string(first_line) + bytes_of_value(recordings::crc32c(bytes)) + bytes);
}

}  // namespace nearfork::tools
