#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/dataflow/flow_instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// How large a dataflow program is.
struct flow_extent {
  double blocks;
  double block_bytes;
  double tasks;
  double values_of_task = 1;
  double arrays = 1;  // that tasks share
};

/// Memory of an instance: its initial and final data, the right answer, and either the shared arrays or the buffers of
/// two steps; and the pattern. At most the largest number that std::uint64_t holds.
[[nodiscard]] std::uint64_t flow_bytes(const flow_extent& extent);

struct flow_description {
  std::string name;
  std::string text;
};

/// The two workloads of a program: "name" with shared arrays, and "name-dsa" with single assignment.
/// make_program(size, seed) makes the program; extent_of(size) says how large it is.
template <class Size, class MakeProgram, class ExtentOf>
std::vector<workload> flow_workloads_of(const flow_description& what, const size_table<Size>& table,
                                        const MakeProgram& make_program, const ExtentOf& extent_of) {
  const auto one = [&](flow_memory_use use, const std::string& name, const std::string& how) -> workload {
    return {.name = name,
            .description = what.text + how,
            .sizes = table.rules(),
            .bytes = [table, extent_of](const size_values& size,
                                        const instance_input&) { return flow_bytes(extent_of(table.from(size))); },
            .make = [table, make_program, use, name](const size_values& size,
                                                     const instance_input& input) -> std::unique_ptr<instance> {
              return std::make_unique<flow_instance>(name, make_program(table.from(size), input.seed), use, input);
            },
            .takes_arrays = true};
  };
  return {one(flow_memory_use::shm, what.name, "; tasks depend on parts of shared arrays"),
          one(flow_memory_use::dsa, what.name + "-dsa", "; each value has a buffer of its own")};
}

}  // namespace nearfork::workloads
