// A dataflow program: a pattern, and what its tasks compute. Who keeps the values, and in which order the tasks run, is
// none of its business (flow_instance.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "workloads/dataflow/flow_pattern.hpp"

namespace nearfork::workloads {

/// A value as a task sees it.
struct flow_item {
  std::uint32_t block = 0;
  std::uint32_t part = 0;    // flow_value::part
  bool is_in_block = false;  // data is the beginning of the block that the value is a part of, not of the value
  std::byte* data = nullptr;

  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return reinterpret_cast<T*>(data);
  }
};

struct flow_call {
  const flow_step& step;
  std::span<const flow_item> inputs;   // in the pattern's order
  std::span<const flow_item> outputs;  // in the order in which they were added
  const std::byte* initial = nullptr;  // all blocks of the initial data, in a row
  std::byte* final_block = nullptr;    // that step.final_bytes go to
};

class flow_program {
 public:
  explicit flow_program(flow_pattern pattern) : pattern_(std::move(pattern)) {}
  flow_program(const flow_program&) = delete;
  flow_program& operator=(const flow_program&) = delete;
  virtual ~flow_program() = default;

  [[nodiscard]] const flow_pattern& pattern() const noexcept { return pattern_; }

  /// Writes one block of the initial data.
  virtual void fill(std::uint32_t block, std::byte* data) const = 0;
  /// Any kernel but control, copy_in and copy_out. Writes all outputs but parts of blocks. May be called by several
  /// threads at once.
  virtual void compute(const flow_call& call) const = 0;
  /// Copies a part out of its block.
  virtual void copy_part(const flow_item& /*to*/, const std::byte* /*block*/) const {}
  /// What is wrong with the final data, as a sentence; empty if they are right. `blocks`: the final blocks, in a row or
  /// not; nullptr: the block has no final data.
  [[nodiscard]] virtual std::string fault(std::span<const std::byte* const> blocks) const = 0;
  /// Changes a final block a little, in one place that `where` chooses.
  virtual void corrupt(std::uint32_t block, std::byte* data, std::uint64_t where) const = 0;

 private:
  flow_pattern pattern_;
};

}  // namespace nearfork::workloads
