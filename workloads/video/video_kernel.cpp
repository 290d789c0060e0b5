#include "workloads/video/video_kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace nearfork::workloads {

std::vector<std::uint8_t> run_lengths_of(std::span<const pixel> bytes) {
  std::vector<std::uint8_t> runs;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t length = 1;
    while (length < 255 && i + length < bytes.size() && bytes[i + length] == bytes[i]) ++length;
    runs.push_back(static_cast<std::uint8_t>(length));
    runs.push_back(bytes[i]);
    i += length;
  }
  return runs;
}

void decode(std::span<const std::uint8_t> runs, std::span<pixel> to) {
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
    std::ranges::fill(to.subspan(at, runs[i]), runs[i + 1]);
    at += runs[i];
  }
}

void blur(frame_shape shape, std::span<const pixel> from, std::span<pixel> to) {
  for (std::size_t y = 0; y < shape.height; ++y) {
    const pixel* const own = &from[y * shape.width];
    const pixel* const above = y == 0 ? own : own - shape.width;
    const pixel* const below = y + 1 == shape.height ? own : own + shape.width;
    const auto column = [&](std::size_t x) { return unsigned{above[x]} + own[x] + below[x]; };
    for (std::size_t x = 0; x < shape.width; ++x) {
      const unsigned sum = column(x == 0 ? x : x - 1) + column(x) + column(x + 1 == shape.width ? x : x + 1);
      to[y * shape.width + x] = static_cast<pixel>(sum / 9);
    }
  }
}

void find_edges(frame_shape shape, std::span<const pixel> from, std::span<pixel> to) {
  std::ranges::fill(to, pixel{0});
  for (std::size_t y = 1; y + 1 < shape.height; ++y)
    for (std::size_t x = 1; x + 1 < shape.width; ++x) {
      const pixel* const above = &from[(y - 1) * shape.width + x];
      const pixel* const own = above + shape.width;
      const pixel* const below = own + shape.width;
      const int across = above[1] + 2 * own[1] + below[1] - above[-1] - 2 * own[-1] - below[-1];
      const int along = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
      to[y * shape.width + x] = static_cast<pixel>(std::min(255, std::abs(across) + std::abs(along)));
    }
}

namespace {

constexpr int reach = 2;

std::uint32_t block_difference(frame_shape shape, const pixel* now, const pixel* next) {
  std::uint32_t sum = 0;
  for (std::size_t y = 0; y < 16; ++y, now += shape.width, next += shape.width)
    for (std::size_t x = 0; x < 16; ++x) sum += static_cast<std::uint32_t>(std::abs(now[x] - next[x]));
  return sum;
}

bool is_inside(frame_shape shape, std::size_t x, std::size_t y, int right, int down) {
  const auto fits = [](std::size_t at, int by, std::size_t size) {
    const auto moved = static_cast<std::ptrdiff_t>(at) + by;
    return moved >= 0 && moved + 16 <= static_cast<std::ptrdiff_t>(size);
  };
  return fits(x, right, shape.width) && fits(y, down, shape.height);
}

motion motion_of_block(frame_shape shape, std::span<const pixel> now, std::span<const pixel> next, std::size_t x,
                       std::size_t y) {
  motion best{0, 0, std::numeric_limits<std::uint32_t>::max()};
  const std::size_t at = y * shape.width + x;
  for (int down = -reach; down <= reach; ++down)
    for (int right = -reach; right <= reach; ++right) {
      if (!is_inside(shape, x, y, right, down)) continue;
      const std::ptrdiff_t by = down * static_cast<std::ptrdiff_t>(shape.width) + right;
      const std::uint32_t difference = block_difference(shape, &now[at], &next[at] + by);
      if (difference < best.difference)
        best = {static_cast<std::int16_t>(right), static_cast<std::int16_t>(down), difference};
    }
  return best;
}

}  // namespace

void find_motion(frame_shape shape, std::span<const pixel> now, std::span<const pixel> next, std::span<motion> to) {
  const std::size_t across = shape.width / 16;
  for (std::size_t block = 0; block < shape.blocks(); ++block)
    to[block] = motion_of_block(shape, now, next, block % across * 16, block / across * 16);
}

std::uint64_t encode(std::span<const pixel> edges, std::span<const motion> moves) {
  std::uint64_t seen = edges.size();
  std::size_t length = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ++length;
    const unsigned shade = edges[i] / 32;
    if (i + 1 < edges.size() && edges[i + 1] / 32U == shade) continue;
    seen = appended(seen, 8 * length + shade);
    length = 0;
  }
  for (const motion& each : moves)
    seen = appended(seen, static_cast<std::uint64_t>(25 * (each.right + reach) + each.down + reach) + each.difference);
  return seen;
}

}  // namespace nearfork::workloads
