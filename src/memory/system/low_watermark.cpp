#include "memory/system/low_watermark.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace nearfork {
namespace {

/// The number after `name` and blanks, if the line begins with these.
std::optional<std::uint64_t> entry(std::string_view line, std::string_view name) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::uint64_t number = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), number).ec != std::errc{}) return std::nullopt;
  return number;
}

/// For a line like "protection: (0, 442, 442)": what a zone keeps back for allocations that can use no other zone. The
/// pages of users can use others, so the largest number counts.
std::optional<std::uint64_t> most_protected(std::string_view line) {
  const auto begin = line.find("protection: (");
  if (begin == line.npos) return std::nullopt;
  line.remove_prefix(line.find('(', begin));
  std::uint64_t most = 0;
  while (!line.empty()) {
    line.remove_prefix(1);
    most = std::max(most, entry(line, "").value_or(0));
    line.remove_prefix(std::min(line.find(','), line.size()));
  }
  return most;
}

}  // namespace

/// A zone begins with "Node 0, zone DMA"; "low", "managed" and "protection" come in this order.
low_watermarks::low_watermarks(std::string_view zoneinfo) {
  std::uint64_t node = 0;
  std::uint64_t low = 0;
  std::uint64_t managed = 0;
  while (!zoneinfo.empty()) {
    const std::string_view line = zoneinfo.substr(0, zoneinfo.find('\n'));
    zoneinfo.remove_prefix(std::min(line.size() + 1, zoneinfo.size()));
    if (const auto number = entry(line, "Node")) node = *number;
    else if (const auto pages = entry(line, "low ")) low = *pages;
    else if (const auto all = entry(line, "managed ")) managed = *all;
    else if (const auto most = most_protected(line))
      pages_[static_cast<unsigned>(node)] += std::min(managed, low + *most);
  }
}

}  // namespace nearfork
