#include "sensors/cpu_model.hpp"

#include <algorithm>
#include <charconv>

#include "base/text/word_choice.hpp"

namespace nearfork {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// "85" or "0xd0c"; 0 for anything else.
unsigned number_or_zero(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  return failure == std::errc{} && end == text.data() + text.size() ? number : 0;
}

void note(cpu_model& into, std::string_view name, std::string_view value) {
  if (name == "vendor_id" || name == "CPU implementer") into.vendor = value;
  else if (name == "cpu family" || name == "CPU architecture") into.family = number_or_zero(value);
  else if (name == "model" || name == "CPU part") into.model = number_or_zero(value);
  else if (name == "flags") into.virtual_machine = has_word(value, "hypervisor");
}

bool is_same_kind(const cpu_model& a, const cpu_model& b) {
  return a.vendor == b.vendor && a.family == b.family && a.model == b.model;
}

}  // namespace

cpu_model cpu_model_of(std::string_view cpuinfo) {
  cpu_model first;
  cpu_model now;  // of the block that is being read; an empty line ends it
  const auto end_block = [&] {
    if (!now.known()) return;
    if (!first.known()) first = now;
    else if (!is_same_kind(first, now)) first.several_kinds = true;
    now = {};
  };
  while (!cpuinfo.empty()) {
    const auto end = std::min(cpuinfo.find('\n'), cpuinfo.size());
    const std::string_view line = cpuinfo.substr(0, end);
    cpuinfo.remove_prefix(std::min(end + 1, cpuinfo.size()));
    if (line.empty()) end_block();
    else if (const auto colon = line.find(':'); colon != std::string_view::npos)
      note(now, trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  end_block();
  return first;
}

std::string text_of(const cpu_model& which) {
  if (!which.known()) return "a processor that /proc/cpuinfo does not name";
  return which.vendor + " family " + std::to_string(which.family) + " model " + std::to_string(which.model);
}

}  // namespace nearfork
