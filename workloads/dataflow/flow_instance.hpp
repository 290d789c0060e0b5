#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/dataflow/flow_arrays.hpp"
#include "workloads/dataflow/flow_program.hpp"
#include "workloads/dataflow/single_values.hpp"
#include "workloads/dataflow/task_lists.hpp"
#include "workloads/instance.hpp"
#include "workloads/instance_input.hpp"

namespace nearfork::workloads {

/// A dataflow program with its data, in one of the two ways to keep its values. All contenders run the same tasks.
class flow_instance final : public instance {
 public:
  flow_instance(std::string name, std::unique_ptr<flow_program> program, flow_memory_use use,
                const instance_input& input);

  void reset() override;
  void reset_nearfork() override;
  void reset_by(const range_loop& loop) override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  // --- for contenders, which make the tasks in the order of their numbers ---
  [[nodiscard]] std::uint32_t tasks() const noexcept { return program_->pattern().size(); }
  /// Control tasks, and copies that the program does not need.
  [[nodiscard]] bool is_left_out(std::uint32_t task) const noexcept;
  /// What orders a task: a task that reads an address runs after those before it that write it, and so on.
  void gather_uses(std::uint32_t task, std::vector<flow_use>& uses) const;
  /// Call it before the first task of a run.
  void begin();
  /// Runs a task in memory that is the program's own. Throws: std::bad_alloc.
  void compute(std::uint32_t task);

 private:
  void make_arrays();
  void fill(std::size_t first, std::size_t last);
  void compute_on(std::uint32_t task, std::span<const flow_item> inputs, std::span<const flow_item> outputs);
  void compute_in_arrays(std::uint32_t task);
  void run_in_arrays();
  friend class single_assignment_run;

  std::string name_;
  std::unique_ptr<flow_program> program_;
  array_rules rules_;
  task_lists outputs_;  // values by task; of programs with shared arrays without those that no task writes
  task_lists created_;  // tasks by task
  flow_arrays arrays_;
  mutable single_values values_;  // of contenders
};

}  // namespace nearfork::workloads
