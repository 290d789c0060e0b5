// The workloads by name, for the bench command, the tests and other users.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/instance.hpp"
#include "workloads/instance_input.hpp"
#include "workloads/size.hpp"

namespace nearfork::workloads {

struct workload {
  std::string name;
  std::string description;
  size_rules sizes;
  /// The memory that such an instance takes.
  std::function<std::uint64_t(const size_values&, const instance_input&)> bytes;
  /// The same size and input give the same instance. Takes the memory and computes the right answer, so it may run as
  /// long as the workload itself. Call prepare() instead, which first checks whether there is enough memory.
  std::function<std::unique_ptr<instance>(const size_values&, const instance_input&)> make;
  bool takes_graph = false;   // heeds instance_input::graph
  bool takes_arrays = false;  // heeds instance_input::arrays
};

[[nodiscard]] const std::vector<workload>& all_workloads();

/// Throws: nearfork::error that lists the names.
[[nodiscard]] const workload& find_workload(std::string_view name);

/// size_text() without the numbers of a generated graph if the instance works on input.graph.
[[nodiscard]] std::string size_text(const workload& which, const size_values& size, const instance_input& input);

/// Throws: nearfork::error if an instance would take more than `memory_bytes`.
void check_memory(const workload& which, const size_values& size, const instance_input& input,
                  std::uint64_t memory_bytes);

/// Makes an instance if check_memory() allows it.
[[nodiscard]] std::unique_ptr<instance> prepare(const workload& which, const size_values& size,
                                                const instance_input& input, std::uint64_t memory_bytes);
/// The same, with the memory that this machine has free.
[[nodiscard]] std::unique_ptr<instance> prepare(const workload& which, const size_values& size,
                                                const instance_input& input);

/// Instance is made from (size, seed). Instance::bytes(size) says how much memory it takes.
template <class Instance, class Size>
workload workload_of(std::string_view name, std::string_view description, const size_table<Size>& table) {
  return {std::string(name), std::string(description), table.rules(),
          [table](const size_values& size, const instance_input&) { return Instance::bytes(table.from(size)); },
          [table](const size_values& size, const instance_input& input) -> std::unique_ptr<instance> {
            return std::make_unique<Instance>(table.from(size), input.seed);
          }};
}

}  // namespace nearfork::workloads
