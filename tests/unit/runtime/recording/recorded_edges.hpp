// What recorded dataflow tasks wait for, by places among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "recording_runtime.hpp"

namespace nearfork::test {

inline const recordings::task_graph& graph_of(const recordings::recording& made, const std::string& region) {
  return region_called(made, region).recorded.at(0).graph;
}

/// The predecessors of each dataflow task, ascending, by places among the dataflow tasks.
inline std::vector<std::vector<std::size_t>> predecessors_of(const recordings::flow_order& flow) {
  std::vector<std::vector<std::size_t>> made(flow.size());
  for (std::size_t i = 0; i < flow.size(); ++i) {
    for (const std::uint32_t one : flow.predecessors(i)) made[i].push_back(flow.place_from(one));
    std::ranges::sort(made[i]);
  }
  return made;
}

using edges = std::vector<std::vector<std::size_t>>;

}  // namespace nearfork::test
