// The stages of the video workload, each for one frame. A frame is width x height bytes, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearfork::workloads {

using pixel = std::uint8_t;

struct frame_shape {
  std::size_t width;
  std::size_t height;
  [[nodiscard]] std::size_t pixels() const { return width * height; }
  /// Blocks of 16 x 16 pixels that are whole.
  [[nodiscard]] std::size_t blocks() const { return width / 16 * (height / 16); }
};

/// How far a block moves to the next frame, and how much differs there.
struct motion {
  std::int16_t right;
  std::int16_t down;
  std::uint32_t difference;
  friend bool operator==(const motion&, const motion&) = default;
};

/// Runs of equal bytes: pairs of a length and a byte.
[[nodiscard]] std::vector<std::uint8_t> run_lengths_of(std::span<const pixel> bytes);
/// The inverse of run_lengths_of(). `to` is as long as the runs together.
void decode(std::span<const std::uint8_t> runs, std::span<pixel> to);
/// The mean of 3 x 3 pixels; pixels of the border count again.
void blur(frame_shape shape, std::span<const pixel> from, std::span<pixel> to);
/// How steep the brightness is (Sobel), at most 255; 0 at the border.
void find_edges(frame_shape shape, std::span<const pixel> from, std::span<pixel> to);
/// Each block of `now` is looked for in `next`, up to 2 pixels away.
void find_motion(frame_shape shape, std::span<const pixel> now, std::span<const pixel> next, std::span<motion> to);
/// The frame with fewer shades, as run lengths, and its motion, in one number.
[[nodiscard]] std::uint64_t encode(std::span<const pixel> edges, std::span<const motion> moves);
/// A number for all frames so far and the next one. The order matters.
[[nodiscard]] inline std::uint64_t appended(std::uint64_t film, std::uint64_t frame) {
  return (film ^ frame) * 0x9E3779B97F4A7C15U + 1;
}

}  // namespace nearfork::workloads
