// What the writer and the reader of recording files share: docs/RECORDING.md, "The file".
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "recording/recording.hpp"

namespace nearfork::recordings {

/// As PNG's: it is no text, and shows at once if the file was copied as text.
inline constexpr std::string_view recording_magic{"\x89NFG\r\n\x1a\n", 8};
inline constexpr std::uint64_t header_bytes = 32;
inline constexpr std::uint64_t section_head_bytes = 16;

enum class section : std::uint32_t { facts = 1, blocks = 2, region = 3, graph = 4, setup = 5, flow = 6 };

inline constexpr std::uint64_t most_placing = static_cast<std::uint64_t>(array_placing::otherwise);

/// The section of allocations and of the order of regions would say something.
[[nodiscard]] inline bool says_setup(const recording& made) {
  return !made.allocations.empty() ||
         std::ranges::any_of(made.regions, [](const region& one) { return one.began > 0; });
}
/// The section of dataflow tasks would say something.
[[nodiscard]] inline bool says_flow(const recording& made) {
  const auto has_flow = [](const iteration& one) { return !one.graph.flow().empty(); };
  return !made.buffers.empty() || std::ranges::any_of(made.regions, [&](const region& one) {
    return std::ranges::any_of(one.recorded, has_flow);
  });
}

}  // namespace nearfork::recordings
