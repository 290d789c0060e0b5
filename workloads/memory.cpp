#include "workloads/memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>

namespace nearfork::workloads {

std::optional<std::uint64_t> available_from_meminfo(std::string_view text) {
  constexpr std::string_view key = "MemAvailable:";
  const std::size_t at = text.find(key);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t kibibytes = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), kibibytes).ec != std::errc{}) return std::nullopt;
  return kibibytes << 10;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
  return text;
}

}  // namespace nearfork::workloads
