#include "runtime/regions/hinted_heat.hpp"

#include <algorithm>

#include "runtime/recording/hint_pieces.hpp"

namespace nearfork {
namespace {

constexpr double bytes_of_line = 64;

void add(const recordings::data_access& hint, std::span<const address_range> chunks, std::span<double> heat) {
  for_each_piece(hint, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
    spread_heat(chunks, {begin, end}, static_cast<double>(bytes) / bytes_of_line, heat);
  });
}

}  // namespace

bool add_hinted_heat(detail::iteration_log& log, std::span<const address_range> chunks, std::span<double> heat) {
  for (detail::worker_log& one : log.logs())
    one.accesses.for_each([&](const detail::noted_access& noted) { add(noted.access, chunks, heat); });
  return std::ranges::any_of(heat, [](double lines) { return lines > 0; });
}

}  // namespace nearfork
