#include "tools/simulated/flow_programs.hpp"

#include <cmath>
#include <vector>

namespace nearfork::tools {
namespace {

using sim::access_kind;
using sim::flow_access;
using sim::flow_memory;
using workloads::flow_kernel;
using workloads::flow_pattern;
using workloads::flow_place;
using workloads::flow_step;
using workloads::flow_value;

class program_maker {
 public:
  program_maker(const flow_pattern& pattern, flow_memory_use use, const computing_speed& speed)
      : pattern_(pattern), use_(use), speed_(speed), written_(pattern.size()) {
    for (std::uint32_t value = 0; value < pattern.values().size(); ++value)
      written_[pattern.values()[value].producer].push_back(value);
  }

  sim::dataflow_program make() {
    add_blocks();
    for (std::uint32_t task = 0; task < pattern_.size(); ++task) add_task(task);
    made_.finish();
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_shared() const noexcept { return use_ == flow_memory_use::shm; }

  [[nodiscard]] std::vector<std::uint32_t> array_of_blocks() {
    std::vector<std::uint32_t> made;
    for (std::uint32_t i = 0; i < pattern_.blocks(); ++i)
      made.push_back(made_.add_block(flow_memory::global, pattern_.block_bytes()));
    return made;
  }

  void add_blocks() {
    bool has_initial = false, has_final = false;
    for (std::uint32_t task = 0; task < pattern_.size(); ++task) {
      has_initial = has_initial || (pattern_[task].initial_bytes > 0 && !is_left_out(pattern_[task]));
      has_final = has_final || (pattern_[task].final_bytes > 0 && !is_left_out(pattern_[task]));
    }
    if (has_initial) initial_ = array_of_blocks();
    if (has_final) final_ = array_of_blocks();
    if (is_shared())
      for (std::uint32_t i = 0; i < pattern_.arrays(); ++i) arrays_.push_back(array_of_blocks());
    for (const flow_value& one : pattern_.values()) {
      const bool is_own = !is_shared() || one.place == flow_place::apart;
      block_of_value_.push_back(
          is_own ? made_.add_block(is_shared() ? flow_memory::global : flow_memory::buffer, one.bytes)
                 : array_at(pattern_[one.producer].step)[one.block]);
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& array_at(std::uint32_t step) const {
    return arrays_[step % arrays_.size()];
  }
  /// With shared arrays there is nothing to copy.
  [[nodiscard]] bool is_left_out(const flow_step& one) const noexcept {
    return is_shared() && (one.kernel == flow_kernel::copy_in || one.kernel == flow_kernel::copy_out);
  }
  [[nodiscard]] bool is_written(const flow_value& one) const noexcept {
    return !is_shared() || one.place == flow_place::whole || one.place == flow_place::apart;
  }

  void add_task(std::uint32_t task) {
    const flow_step& what = pattern_[task];
    std::vector<flow_access> accesses;
    const bool left_out = is_left_out(what);
    if (!left_out) gather(task, accesses);
    const double operations = left_out ? 0 : what.operations / (what.is_vector ? speed_.vector_work : 1);
    const bool is_there = what.creator == task;
    made_.add_task(static_cast<std::uint64_t>(std::llround(operations * speed_.ns_per_operation)), accesses,
                   is_there ? sim::dataflow_program::nobody : what.creator);
    if (is_shared())
      for (const std::uint32_t input : pattern_.inputs(task)) made_.add_order(pattern_.values()[input].producer, task);
  }

  void gather(std::uint32_t task, std::vector<flow_access>& accesses) {
    const flow_step& what = pattern_[task];
    if (what.initial_bytes > 0) accesses.push_back({initial_[what.block], access_kind::read, what.initial_bytes});
    for (const std::uint32_t input : pattern_.inputs(task))
      accesses.push_back({block_of_value_[input], access_kind::read, pattern_.values()[input].bytes});
    for (const std::uint32_t value : written_[task])
      if (is_written(pattern_.values()[value]))
        accesses.push_back({block_of_value_[value], access_kind::write, pattern_.values()[value].bytes});
    if (what.final_bytes > 0) accesses.push_back({final_[what.block], access_kind::write, what.final_bytes});
  }

  const flow_pattern& pattern_;
  flow_memory_use use_;
  const computing_speed& speed_;
  std::vector<std::vector<std::uint32_t>> written_;  // values, by task
  sim::dataflow_program made_;
  std::vector<std::uint32_t> initial_, final_;      // blocks of global data
  std::vector<std::vector<std::uint32_t>> arrays_;  // shared ones
  std::vector<std::uint32_t> block_of_value_;
};

}  // namespace

sim::dataflow_program flow_program(const flow_pattern& pattern, flow_memory_use use, const computing_speed& speed) {
  return program_maker(pattern, use, speed).make();
}

}  // namespace nearfork::tools
