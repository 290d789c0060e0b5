// What a task of a dataflow program computes and touches, a slice at a time: in each slice, the same part of every
// access.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/dataflow/block_memory.hpp"
#include "sim/dataflow/dataflow_run.hpp"

namespace nearfork::sim {

class task_slices {
 public:
  task_slices(const dataflow_program& what, const machine& where, const dataflow_settings& settings,
              block_memory& memory, const flow_crew& crew);

  /// The worker's next slices are those of `task`.
  void begin(std::uint32_t worker, std::uint32_t task);
  [[nodiscard]] bool is_done(std::uint32_t worker) const noexcept { return at_[worker].next == at_[worker].count; }
  /// Returns when the slice ends.
  [[nodiscard]] std::uint64_t run(std::uint32_t worker, std::uint64_t now_ps);

  [[nodiscard]] std::uint64_t hint_faults() const noexcept { return balancing_ ? balancing_->faults() : 0; }

 private:
  struct progress {
    std::uint32_t task = 0;
    std::uint32_t next = 0;
    std::uint32_t count = 0;
  };
  [[nodiscard]] std::uint32_t lines_of(const flow_access& access) const noexcept;
  std::uint64_t touch(std::uint32_t worker, const flow_access& access, progress at, std::uint64_t now_ps);
  std::uint64_t faults_ps(std::uint32_t worker, std::uint64_t first_line, std::uint32_t count, std::uint64_t now_ps);

  const dataflow_program& what_;
  block_memory& memory_;
  const flow_crew& crew_;
  access_order order_;
  std::uint32_t line_bytes_;
  std::optional<page_balancing> balancing_;
  std::vector<double> slowness_;  // by worker
  std::vector<progress> at_;      // by worker
};

}  // namespace nearfork::sim
