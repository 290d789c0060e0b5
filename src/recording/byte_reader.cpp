#include "recording/byte_reader.hpp"

#include <algorithm>
#include <limits>

#include <nearfork/error.hpp>

#include "base/text/control_chars.hpp"

namespace nearfork::recordings {

void byte_reader::refuse_at(std::uint64_t offset, const std::string& why) const {
  throw error("nearfork: recording " + std::string(where_) + ", byte " + std::to_string(offset) + ": " + why);
}

void byte_reader::refuse_end(const char* what) const {
  refuse(std::string("the file ends in the middle of ") + what + "; it is truncated: copy or record it again");
}

std::uint64_t byte_reader::number(const char* what, std::uint64_t most) {
  const std::uint64_t began = offset();
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (left() == 0) refuse_end(what);
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    const std::uint64_t bits = byte & 0x7fU;
    if (shift == 63 && byte > 1)
      refuse_at(began, std::string(what) + " does not fit 64 bits; the file is damaged: record it again");
    value |= bits << shift;
    if (byte >= 0x80) continue;
    if (byte == 0 && shift > 0)
      refuse_at(began, std::string(what) + " takes more bytes than it needs; the file is damaged: record it again");
    break;
  }
  if (value > most)
    refuse_at(began, std::string(what) + " is " + std::to_string(value) + ", more than " + std::to_string(most) +
                         "; the file is damaged: record it again");
  return value;
}

std::uint64_t byte_reader::fixed(const char* what, unsigned count) {
  if (left() < count) refuse_end(what);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
  at_ += count;
  return value;
}

std::string_view byte_reader::raw(const char* what, std::uint64_t count) {
  if (left() < count) refuse_end(what);
  const std::string_view found = bytes_.substr(at_, count);
  at_ += count;
  return found;
}

std::string byte_reader::text(const char* what) {
  const std::uint64_t length = number(what, most_text);
  const std::uint64_t began = offset();
  const std::string_view found = raw(what, length);
  if (std::ranges::any_of(found, is_control))
    refuse_at(began, std::string(what) + " has control characters; the file is damaged: record it again");
  return std::string(found);
}

std::uint64_t byte_reader::count(const char* what, std::uint64_t bytes_each) {
  const std::uint64_t began = offset();
  const std::uint64_t value = number(what, std::numeric_limits<std::uint64_t>::max());
  if (value > left() / bytes_each)
    refuse_at(began, std::string(what) + " is " + std::to_string(value) + ", more than the " + std::to_string(left()) +
                         " bytes that follow can hold; the file is damaged: record it again");
  return value;
}

}  // namespace nearfork::recordings
