// Dataflow programs for tests: chains, and random graphs whose buffers have one to three readers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "sim/dataflow/dataflow_program.hpp"

namespace nearfork::sim {

inline constexpr std::uint64_t test_block_bytes = 16 << 10;

/// Task i reads what task i-1 wrote. All are there before the run: a sequential control program.
inline dataflow_program chain_of(std::uint32_t tasks, std::uint64_t compute_ns = 1000) {
  dataflow_program made;
  std::vector<std::uint32_t> buffers;
  for (std::uint32_t i = 0; i < tasks; ++i) buffers.push_back(made.add_block(flow_memory::buffer, test_block_bytes));
  for (std::uint32_t i = 0; i < tasks; ++i) {
    std::vector<flow_access> accesses;
    if (i > 0) accesses.push_back({buffers[i - 1], access_kind::read, test_block_bytes});
    if (i + 1 < tasks) accesses.push_back({buffers[i], access_kind::write, test_block_bytes});
    made.add_task(compute_ns, accesses);
  }
  made.finish();
  return made;
}

/// `layers` of `width` tasks. Each reads up to three buffers of the layer before and writes one; a task of the first
/// layer creates a task of the third, and so on.
inline dataflow_program random_layers(std::uint32_t layers, std::uint32_t width, std::uint64_t seed) {
  dataflow_program made;
  rng random(seed);
  std::vector<std::uint32_t> before, buffers;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    buffers.clear();
    for (std::uint32_t i = 0; i < width; ++i) {
      std::vector<flow_access> accesses;
      const std::uint32_t inputs = layer == 0 ? 0 : 1 + random.below(3);
      for (std::uint32_t k = 0; k < inputs; ++k) {
        const std::uint32_t block = k == 0 ? before[i] : before[random.below(width)];
        accesses.push_back({block, access_kind::read, made.blocks()[block].bytes});
      }
      const std::uint64_t bytes = 1 + random.below(2 * test_block_bytes);
      buffers.push_back(made.add_block(flow_memory::buffer, bytes));
      accesses.push_back({buffers.back(), access_kind::write, bytes});
      made.add_task(random.below(20'000), accesses,
                    layer < 2 ? dataflow_program::nobody : (layer - 2) * width + random.below(width));
    }
    before = buffers;
  }
  made.finish();
  return made;
}

}  // namespace nearfork::sim
