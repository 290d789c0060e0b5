#include "workloads/dataflow/single_assignment_run.hpp"

#include <array>

#include "workloads/dataflow/flow_instance.hpp"

namespace nearfork::workloads {
namespace {

std::span<flow_unit> units_at(std::byte* data, std::uint64_t bytes) {
  return {reinterpret_cast<flow_unit*>(data), bytes / sizeof(flow_unit)};
}

}  // namespace

single_assignment_run::single_assignment_run(flow_instance& instance)
    : instance_(instance), uncreated_(instance.program_->pattern().values().size()) {
  const flow_pattern& pattern = instance.program_->pattern();
  buffers_.reserve(pattern.values().size());
  for (const flow_value& one : pattern.values()) buffers_.push_back(graph_.buffer<flow_unit>(units_of(one.bytes)));
  // relaxed: no task exists yet.
  for (std::atomic<std::uint32_t>& one : uncreated_) one.store(1, std::memory_order_relaxed);
  for (std::uint32_t task = 0; task < pattern.size(); ++task)
    for (const std::uint32_t input : pattern.inputs(task)) uncreated_[input].fetch_add(1, std::memory_order_relaxed);
}

void single_assignment_run::run() {
  for (std::uint32_t task = 0; task < instance_.tasks(); ++task)
    if (instance_.program_->pattern()[task].creator == task) create(task);
  graph_.sync();
}

void single_assignment_run::create(std::uint32_t task) {
  const flow_pattern& pattern = instance_.program_->pattern();
  const flow_step& what = pattern[task];
  std::vector<access> all;
  for (const std::uint32_t value : pattern.inputs(task)) all.push_back(in(buffers_[value]));
  if (what.initial_bytes > 0)
    all.push_back(in(units_at(instance_.arrays_.initial_block(what.block), what.initial_bytes)));
  for (const std::uint32_t value : instance_.outputs_[task]) all.push_back(out(buffers_[value]));
  if (what.final_bytes > 0) all.push_back(out(units_at(instance_.arrays_.final_block(what.block), what.final_bytes)));
  graph_.task(all, [this, task](task_data data) { compute(task, data); });
  forget(pattern.inputs(task));
  forget(instance_.outputs_[task]);
}

/// A buffer lives as long as its tasks, once nobody else has a handle.
void single_assignment_run::forget(std::span<const std::uint32_t> values) {
  // acq_rel: other creators have used the handle before it ends.
  for (const std::uint32_t value : values)
    if (uncreated_[value].fetch_sub(1, std::memory_order_acq_rel) == 1) buffers_[value] = {};
}

void single_assignment_run::compute(std::uint32_t task, task_data data) {
  const flow_pattern& pattern = instance_.program_->pattern();
  std::array<flow_item, flow_pattern::most_values> read, written;
  const auto gather = [&](std::span<const std::uint32_t> values, auto& to, auto&& units_of_value) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const flow_value& one = pattern.values()[values[i]];
      to[i] = {one.block, one.part, false, reinterpret_cast<std::byte*>(units_of_value(i))};
    }
    return std::span<const flow_item>(to).first(values.size());
  };
  const auto inputs = pattern.inputs(task);
  const std::size_t first_output = inputs.size() + (pattern[task].initial_bytes > 0 ? 1 : 0);
  const auto from =
      gather(inputs, read, [&](std::size_t i) { return const_cast<flow_unit*>(data.in<flow_unit>(i).data()); });
  const auto to = gather(instance_.outputs_[task], written,
                         [&](std::size_t i) { return data.out<flow_unit>(first_output + i).data(); });
  instance_.compute_on(task, from, to);
  for (const std::uint32_t next : instance_.created_[task]) create(next);
}

}  // namespace nearfork::workloads
