#include "tools/graph_files/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <nearfork/error.hpp>

namespace nearfork::tools {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::string_view blanks = " \t";

/// How files begin that gzip, bzip2, xz and zip have made.
bool looks_compressed(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view magic : {"\x1f\x8b"sv, "BZh"sv, "\xfd\x37zXZ"sv, "PK\x03\x04"sv, "\x28\xb5\x2f\xfd"sv})
    if (text.starts_with(magic)) return true;
  return false;
}

}  // namespace

line_reader::line_reader(text_source from, std::string name)
    : from_(std::move(from)), name_(std::move(name)), buffer_(piece_bytes + most_line_bytes) {}

/// Moves what is left to the front and reads more behind it. False at the end of the text.
bool line_reader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = from_(std::span(buffer_).subspan(end_));
  end_ += got;
  return got > 0;
}

bool line_reader::next() {
  std::size_t searched = 0;
  const char* found = nullptr;
  for (;;) {
    const std::size_t left = end_ - begin_ - searched;
    if (left > 0) found = static_cast<const char*>(std::memchr(buffer_.data() + begin_ + searched, '\n', left));
    searched = end_ - begin_;
    if (found != nullptr || searched > most_line_bytes || !fill()) break;
  }
  if (found == nullptr && searched == 0) return false;
  const char* const first = buffer_.data() + begin_;
  line_ = {first, found != nullptr ? static_cast<std::size_t>(found - first) : searched};
  begin_ += std::min(line_.size() + 1, end_ - begin_);
  ++number_;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  check();
  return true;
}

void line_reader::check() const {
  if (number_ == 1 && looks_compressed(line_)) refuse_file("it is compressed: unpack it first");
  if (line_.size() > most_line_bytes)
    refuse(fmt::format("the line is longer than {} bytes; is this a text file?", most_line_bytes));
  if (line_.find('\0') != line_.npos) refuse("the line holds a NUL byte; this is no text file, or a damaged one");
}

const std::vector<std::string_view>& line_reader::words(std::size_t most) {
  words_.clear();
  std::string_view rest = line_;
  while (words_.size() <= most) {
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    if (rest.empty()) break;
    words_.push_back(rest.substr(0, rest.find_first_of(blanks)));
    rest.remove_prefix(words_.back().size());
  }
  return words_;
}

void line_reader::refuse(const std::string& why) const {
  throw error(fmt::format("nearfork: graph {}, line {}: {}", name_, number_, why));
}

void line_reader::refuse_file(const std::string& why) const {
  throw error(fmt::format("nearfork: graph {}: {}", name_, why));
}

}  // namespace nearfork::tools
