// The dependences of a dataflow program, as values: which task hands how many bytes to which tasks, and what each task
// computes. A real program makes its tasks from a pattern, with a buffer for each value; the simulator runs the same
// pattern (tools/simulated/flow_programs.hpp).
//
// The programs are those of Drebes et al., "Scalable Task Parallelism for NUMA" (PACT 2016), section 4.3. Control tasks
// create the others, in parallel: each those of some blocks up to the first step; a task of step t then creates the one
// of step t + 2 of its block, so that the readers of what a task writes are known when it starts (figure 3b).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace nearfork::workloads {

/// How a program keeps its values. `dsa`: dynamic single assignment, a buffer of the runtime for each value. `shm`:
/// arrays that tasks share and change in place; tasks still wait for each other as the pattern says.
enum class flow_memory_use : std::uint8_t { dsa, shm };

/// What a task computes. A copy moves a block between the program's arrays and values.
enum class flow_kernel : std::uint8_t {
  control,
  copy_in,
  copy_out,
  stencil,
  blur,
  roberts,
  sort,
  merge,   // of two sorted blocks: the smaller half to the first value, the larger half to the second
  assign,  // points to the nearest centre
  reduce,
  factor,  // potrf
  solve,   // trsm: of the first input, by the second
  update,  // syrk and gemm: the first input, minus the product of the second and the last one transposed
  score,   // local alignment of two pieces of text
};

/// Where a value lies in a program with shared arrays.
enum class flow_place : std::uint8_t {
  whole,    // its block of the array, all of which the task writes
  part,     // in what the task writes of its block anyway
  carried,  // its block of the array, which the task leaves as it is
  apart,    // in memory of its own
};

/// Written once, by one task.
struct flow_value {
  std::uint32_t producer = 0;
  std::uint32_t block = 0;
  std::uint64_t bytes = 0;
  flow_place place = flow_place::whole;
  std::uint32_t part = 0;  // which part of its block, in numbers of the program's own
};

struct flow_step {
  flow_kernel kernel = flow_kernel::control;
  std::uint32_t block = 0;
  std::uint32_t step = 0;           // time step or stage; 0: before the first one
  double operations = 0;            // loads, stores, additions, multiplications, comparisons
  bool is_vector = false;           // compilers turn the loop into vector instructions
  std::uint32_t creator = 0;        // of control tasks: themselves
  std::uint64_t initial_bytes = 0;  // that it reads of its block of the initial data
  std::uint64_t final_bytes = 0;    // that it writes to its block of the final data
};

class flow_pattern {
 public:
  /// That a task may read, and that it may write.
  static constexpr std::size_t most_values = 8;

  /// `arrays`: of a program with shared arrays, in which steps write in turn.
  flow_pattern(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t arrays);

  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] std::uint32_t arrays() const noexcept { return arrays_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] const flow_step& operator[](std::uint32_t task) const noexcept { return steps_[task]; }
  [[nodiscard]] std::span<const flow_value> values() const noexcept { return values_; }
  /// The values that a task reads; the largest one first.
  [[nodiscard]] std::span<const std::uint32_t> inputs(std::uint32_t task) const noexcept {
    return {inputs_.data() + first_input_[task], inputs_.data() + first_input_[task + 1]};
  }

  // --- for makers of patterns ---
  /// A task whose creator is the one before the one before it: the writer of the first input of the writer of its
  /// first input. If there is none, the control task of its block.
  std::uint32_t add(flow_step what, std::span<const std::uint32_t> inputs);
  std::uint32_t add(flow_step what, std::initializer_list<std::uint32_t> inputs) {
    return add(what, std::span(inputs.begin(), inputs.size()));
  }
  /// Number of the value that `producer` writes.
  std::uint32_t add_value(std::uint32_t producer, std::uint32_t block, std::uint64_t bytes,
                          flow_place place = flow_place::whole, std::uint32_t part = 0);

 private:
  [[nodiscard]] std::uint32_t creator_of(std::uint32_t block, std::span<const std::uint32_t> inputs) const noexcept;

  std::uint32_t blocks_;
  std::uint64_t block_bytes_;
  std::uint32_t arrays_;
  std::vector<flow_step> steps_;
  std::vector<flow_value> values_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::size_t> first_input_{0};  // by task, and one more
};

}  // namespace nearfork::workloads
