// What a recording says about the data of its tasks, and the same recording with larger leaves. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "recording/recording.hpp"
#include "tools/advice/evidence.hpp"

namespace nearfork::tools {

/// Looks at the last recorded iteration of each region. nullopt: no task says what it writes. Linear in the accesses.
[[nodiscard]] std::optional<data_evidence> data_evidence_of(const recordings::recording& recorded);

/// The part of the pages that tasks touch whose first access, in the order of one worker and of the regions, reads:
/// then something outside of the recorded tasks has written them. Arrays of nearfork do not count: their pages follow
/// rules. Linear in the accesses.
[[nodiscard]] double part_from_outside(const recordings::recording& recorded);

/// Each subtree whose work is at most `most_ns` becomes one leaf, with all its work and accesses in their order. Linear
/// in the tasks.
[[nodiscard]] recordings::task_graph with_larger_leaves(const recordings::task_graph& graph, std::uint64_t most_ns);
[[nodiscard]] recordings::recording with_larger_leaves(const recordings::recording& recorded, std::uint64_t most_ns);

}  // namespace nearfork::tools
