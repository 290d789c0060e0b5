#include <nearfork/memory_map.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

#include "memory/placed/placed_memory.hpp"

namespace nearfork {
namespace {

constexpr char untouched_cell = '.';

std::size_t all_bytes(const memory_map& shown) {
  std::size_t sum = 0;
  for (const memory_part& part : shown.parts) sum += part.bytes;
  return sum;
}

/// 0 to 9, then letters; '+' for more nodes than there are of both.
char cell_of(const std::optional<unsigned>& os_node) {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  if (!os_node) return untouched_cell;
  return *os_node < digits.size() ? digits[*os_node] : '+';
}

/// Which node holds most of bytes [from, to).
char cell_between(const memory_map& shown, double from, double to) {
  std::map<std::optional<unsigned>, double> held;
  double begin = 0;
  for (const memory_part& part : shown.parts) {
    const double end = begin + static_cast<double>(part.bytes);
    const double inside = std::min(end, to) - std::max(begin, from);
    if (inside > 0) held[part.os_node] += inside;
    begin = end;
  }
  const auto most = std::ranges::max_element(held, {}, [](const auto& one) { return one.second; });
  return most == held.end() ? untouched_cell : cell_of(most->first);
}

std::string amount(std::size_t bytes, std::size_t of_all) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f MiB (%.0f%%)\n", static_cast<double>(bytes) / (1 << 20),
                100 * static_cast<double>(bytes) / static_cast<double>(of_all));
  return text;
}

}  // namespace

std::size_t memory_map::bytes_on(unsigned os_node) const noexcept {
  std::size_t sum = 0;
  for (const memory_part& part : parts)
    if (part.os_node == os_node) sum += part.bytes;
  return sum;
}

std::size_t memory_map::untouched_bytes() const noexcept {
  std::size_t sum = 0;
  for (const memory_part& part : parts)
    if (!part.os_node) sum += part.bytes;
  return sum;
}

memory_map where_lies(const void* begin, std::size_t bytes) {
  return process_memory().where_lies(begin, bytes);
}

std::string picture_of(const memory_map& shown, unsigned columns) {
  if (!shown.not_known.empty()) return "not known: " + shown.not_known + "\n";
  const std::size_t all = all_bytes(shown);
  if (all == 0) return "nothing\n";
  std::string text = "[";
  const double cell_bytes = static_cast<double>(all) / std::max(1U, columns);
  for (unsigned i = 0; i < columns; ++i) text += cell_between(shown, i * cell_bytes, (i + 1) * cell_bytes);
  text += "]\n";
  std::map<unsigned, std::size_t> nodes;
  for (const memory_part& part : shown.parts)
    if (part.os_node) nodes[*part.os_node] += part.bytes;
  for (const auto& [node, bytes] : nodes) text += "node " + std::to_string(node) + ": " + amount(bytes, all);
  if (const std::size_t untouched = shown.untouched_bytes(); untouched > 0)
    text += "untouched: " + amount(untouched, all);
  return text;
}

}  // namespace nearfork
