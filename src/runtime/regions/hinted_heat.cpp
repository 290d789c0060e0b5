#include "runtime/regions/hinted_heat.hpp"

#include <algorithm>

namespace nearfork {
namespace {

constexpr double bytes_of_line = 64;
/// With more pieces a hint is spread evenly from its first piece to its last: a column of a matrix has a million.
constexpr std::uint64_t most_single_pieces = 64;

void add(const recordings::data_access& hint, std::span<const address_range> chunks, std::span<double> heat) {
  const double lines = static_cast<double>(hint.size_bytes) / bytes_of_line;
  const std::uint64_t count = std::max<std::uint64_t>(1, hint.count);
  if (count > most_single_pieces) {
    const std::uint64_t end = hint.begin_byte + (count - 1) * hint.stride_bytes + hint.size_bytes;
    return spread_heat(chunks, {hint.begin_byte, end}, lines * static_cast<double>(count), heat);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = hint.begin_byte + i * hint.stride_bytes;
    spread_heat(chunks, {begin, begin + hint.size_bytes}, lines, heat);
  }
}

}  // namespace

bool add_hinted_heat(detail::iteration_log& log, std::span<const address_range> chunks, std::span<double> heat) {
  for (detail::worker_log& one : log.logs())
    one.accesses.for_each([&](const detail::noted_access& noted) { add(noted.access, chunks, heat); });
  return std::ranges::any_of(heat, [](double lines) { return lines > 0; });
}

}  // namespace nearfork
