// Recordings for tests: anything that the format can hold, made from a seed. Sums stay within the format's bounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "recording/recording.hpp"

namespace nearfork::recordings {

inline std::uint64_t any_number(rng& random) {
  const std::uint64_t bits = std::uint64_t{random.below(0xffffffffU)} << 32 | random.below(0xffffffffU);
  return bits >> random.below(64);
}

/// So small that the numbers of a whole recording add up to less than the limit.
inline std::uint64_t any_part(rng& random) {
  return any_number(random) >> 16;
}

inline data_access any_access(rng& random, const std::vector<data_block>& blocks) {
  data_access made{.block = random.below(static_cast<std::uint32_t>(blocks.size())),
                   .kind = random.below(2) == 0 ? access_kind::read : access_kind::write};
  const std::uint64_t bytes = blocks[made.block].bytes;
  made.begin_byte = any_number(random) % bytes;
  const std::uint64_t room = bytes - made.begin_byte;
  made.size_bytes = 1 + any_number(random) % room;
  if (random.below(3) == 0 && room - made.size_bytes > 1) {
    made.count = 2 + random.below(5);
    made.stride_bytes = any_number(random) % ((room - made.size_bytes) / (made.count - 1) + 1);
  }
  return made;
}

inline task_graph any_graph(rng& random, std::uint32_t most_tasks, const std::vector<data_block>& blocks) {
  task_graph made;
  std::vector<std::uint32_t> branching;
  std::vector<data_access> accesses;
  for (std::uint32_t task = 0; task < made.known_tasks(); ++task) {
    branching.clear();
    const std::uint32_t forks = made.known_tasks() < most_tasks ? random.below(4) : 0;
    for (std::uint32_t i = 0; i < forks; ++i) branching.push_back(1 + random.below(4));
    made.add_task(branching);
    for (std::uint32_t i = 0; i <= forks; ++i) {
      accesses.clear();
      if (!blocks.empty())
        for (std::uint32_t n = random.below(4); n > 0; --n) accesses.push_back(any_access(random, blocks));
      made.add_stretch(any_part(random), accesses);
    }
  }
  return made;
}

/// An order of allocations and of regions.
inline void add_setup(rng& random, recording& made) {
  for (std::uint32_t block = 0; block < made.blocks.size(); ++block)
    if (random.below(3) != 0) made.allocations.push_back({block, static_cast<array_placing>(random.below(6))});
  if (made.allocations.size() > 1 && random.below(2) == 0) std::swap(made.allocations.front(), made.allocations.back());
  if (random.below(3) == 0) return;
  std::vector<std::uint64_t> places(2 * made.regions.size());
  std::iota(places.begin(), places.end(), std::uint64_t{1});
  for (std::size_t i = places.size(); i > 1; --i)
    std::swap(places[i - 1], places[random.below(static_cast<std::uint32_t>(i))]);
  for (region& one : made.regions) {
    const std::uint64_t first = places.back();
    places.pop_back();
    one.began = std::min(first, places.back());
    one.ended = std::max(first, places.back());
    places.pop_back();
  }
}

/// Any of the tasks as dataflow tasks: what a task waits for are earlier siblings.
inline flow_order any_flow(rng& random, const task_graph& graph) {
  flow_order made;
  std::vector<std::uint32_t> siblings;  // that are dataflow tasks
  for (std::uint32_t parent = 0; parent < graph.tasks(); ++parent)
    for (const task_graph::fork& one : graph.forks(parent)) {
      siblings.clear();
      for (std::uint32_t task = one.first_child; task < one.first_child + one.branching; ++task) {
        if (random.below(3) == 0) continue;
        const bool created = !siblings.empty() && random.below(3) == 0;
        made.add_task(task, created ? siblings[random.below(static_cast<std::uint32_t>(siblings.size()))]
                                    : flow_order::by_waiting_task);
        for (std::size_t i = siblings.size(); i-- > 0;)
          if (random.below(2) == 0) made.add_predecessor(siblings[i]);
        for (std::uint32_t i = 0; i <= made.exclusion_numbers(); ++i)
          if (random.below(9) == 0) made.add_exclusion(i);
        siblings.push_back(task);
      }
    }
  return made;
}

inline recording any_recording(std::uint64_t seed, std::uint32_t most_tasks = 60) {
  rng random(seed);
  recording made{.program = "program",
                 .policy = "laws",
                 .machine = "2 packages",
                 .workers = 1 + random.below(1000),
                 .left_out = random.below(3),
                 .blocks = {},
                 .regions = {}};
  for (std::uint32_t i = random.below(4); i > 0; --i)
    made.blocks.push_back({"data " + std::to_string(i), 1 + any_number(random) % (std::uint64_t{1} << 40)});
  for (std::uint32_t i = random.below(4); i > 0; --i) {
    region one{.name = "region " + std::to_string(i),
               .input_bytes = any_number(random) >> 2,
               .iterations = any_number(random) >> 2,
               .recorded = {}};
    for (auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(random.below(4), one.iterations)); n > 0; --n)
      one.recorded.push_back({n, any_part(random), any_graph(random, most_tasks, made.blocks)});
    made.regions.push_back(std::move(one));
  }
  if (random.below(2) == 0) add_setup(random, made);
  if (random.below(2) == 0) return made;
  for (std::uint32_t block = 0; block < made.blocks.size(); ++block)
    if (random.below(2) == 0) made.buffers.push_back(block);
  for (region& each : made.regions)
    for (iteration& recorded : each.recorded) recorded.graph.order_by(any_flow(random, recorded.graph));
  return made;
}

}  // namespace nearfork::recordings
