#include "sensors/hotness/referenced_text.hpp"

#include <algorithm>
#include <charconv>

namespace nearfork {
namespace {

/// A line like "7f12a000-7f12c000 rw-p 00000000 00:00 0".
std::optional<address_range> range_of_line(std::string_view line) {
  address_range made;
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const auto first = std::from_chars(begin, end, made.begin, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, made.end, 16);
  if (second.ec != std::errc{} || second.ptr == end || *second.ptr != ' ') return std::nullopt;
  return made.begin < made.end ? std::optional(made) : std::nullopt;
}

/// "Referenced:" begins with a letter that no hexadecimal number has, but "Anonymous:" does not: a field has its colon
/// before any blank.
bool is_field(std::string_view line) {
  const auto stop = line.find_first_of(": \t");
  return stop != line.npos && line[stop] == ':';
}

/// Of a line like "Referenced:           16 kB".
std::optional<std::uint64_t> bytes_of_field(std::string_view line) {
  constexpr std::uint64_t most_kib = ~std::uint64_t{0} >> 10;
  const auto at = line.find_first_not_of(" \t", line.find(':') + 1);
  if (at == line.npos) return std::nullopt;
  std::uint64_t kib = 0;
  const auto read = std::from_chars(line.data() + at, line.data() + line.size(), kib);
  if (read.ec != std::errc{} || kib > most_kib) return std::nullopt;
  if (std::string_view(read.ptr, static_cast<std::size_t>(line.data() + line.size() - read.ptr)) != " kB")
    return std::nullopt;
  return kib << 10;
}

}  // namespace

std::optional<std::vector<referenced_mapping>> referenced_mappings(std::string_view smaps, address_range within) {
  std::vector<referenced_mapping> made;
  address_range current{};
  bool waits = false;  // the current mapping's "Referenced" has not come
  while (!smaps.empty()) {
    const std::string_view line = smaps.substr(0, smaps.find('\n'));
    smaps.remove_prefix(std::min(smaps.size(), line.size() + 1));
    if (line.starts_with("Referenced:")) {
      const auto bytes = bytes_of_field(line);
      if (!bytes || !waits) return std::nullopt;
      if (current.begin < within.end && within.begin < current.end)
        made.push_back({current, std::min<std::uint64_t>(*bytes, current.end - current.begin)});
      waits = false;
    } else if (!is_field(line)) {
      const auto next = range_of_line(line);
      if (!next || next->begin < current.end || waits) return std::nullopt;
      current = *next;
      waits = true;
    }
  }
  if (current.end == 0 || waits) return std::nullopt;
  return made;
}

}  // namespace nearfork
