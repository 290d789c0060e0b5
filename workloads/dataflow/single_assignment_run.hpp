#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <nearfork/dataflow.hpp>

#include "workloads/dataflow/flow_arrays.hpp"

namespace nearfork::workloads {

class flow_instance;

/// One run of a program whose values are buffers of a dataflow graph. Control tasks create the first tasks, and tasks
/// create others, as the pattern says.
class single_assignment_run {
 public:
  /// Throws: std::bad_alloc.
  explicit single_assignment_run(flow_instance& instance);
  void run();

 private:
  /// In the task: computes, and creates the tasks that this one has to create.
  void compute(std::uint32_t task, task_data data);
  void create(std::uint32_t task);
  void forget(std::span<const std::uint32_t> values);

  flow_instance& instance_;
  dataflow graph_;
  std::vector<nearfork::buffer<flow_unit>> buffers_;   // by value
  std::vector<std::atomic<std::uint32_t>> uncreated_;  // by value: tasks that name it and are not created yet
};

}  // namespace nearfork::workloads
