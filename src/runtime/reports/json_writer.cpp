#include "runtime/reports/json_writer.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

namespace nearfork {
namespace {

/// Bytes of the UTF-8 character that starts `text`; 0 if none does: truncated, overlong, a surrogate or out of range.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xbf) {
    return i < text.size() && byte(i) >= least && byte(i) <= most;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef)
    return follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (lead >= 0xf0 && lead <= 0xf4)
    return follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

void append_escaped(std::string& out, unsigned char c) {
  constexpr char digits[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (c >= 0x20 && c != 0x7f) {
    out += static_cast<char>(c);
    return;
  }
  out += "\\u00";
  out += digits[c >> 4];
  out += digits[c & 15];
}

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

}  // namespace

void json_writer::end() {
  const level closed = open_.back();
  open_.pop_back();
  if (!closed.empty) text_ += '\n' + std::string(2 * open_.size(), ' ');
  text_ += closed.closing;
}

void json_writer::member(std::string_view name, std::string_view value) {
  start_value(name);
  write_quoted(value);
}

void json_writer::member(std::string_view name, double value) {
  if (!std::isfinite(value)) return null_member(name);
  constexpr int digits = 9;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
  number(name, std::string_view(text, static_cast<std::size_t>(end - text)));
}

void json_writer::member_or_null(std::string_view name, std::string_view value) {
  if (value.empty()) null_member(name);
  else member(name, value);
}

void json_writer::element(std::string_view value) {
  member({}, value);
}

void json_writer::open(std::string_view name, char opening, char closing) {
  start_value(name);
  text_ += opening;
  open_.push_back({closing, true});
}

void json_writer::number(std::string_view name, std::string_view digits) {
  start_value(name);
  text_ += digits;
}

void json_writer::start_value(std::string_view name) {
  if (open_.empty()) return;
  text_ += open_.back().empty ? "\n" : ",\n";
  text_ += std::string(2 * open_.size(), ' ');
  open_.back().empty = false;
  if (open_.back().closing != '}') return;
  write_quoted(name);
  text_ += ": ";
}

// JSON is UTF-8: a file name that is not UTF-8 gets replacement characters rather than an unreadable report.
void json_writer::write_quoted(std::string_view text) {
  text_ += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 1) append_escaped(text_, static_cast<unsigned char>(text[0]));
    else text_ += length == 0 ? replacement_character : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace nearfork
