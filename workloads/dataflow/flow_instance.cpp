#include "workloads/dataflow/flow_instance.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <nearfork/dataflow.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/region.hpp>

#include "workloads/dataflow/single_assignment_run.hpp"

namespace nearfork::workloads {
namespace {

task_lists outputs_of(const flow_pattern& pattern, flow_memory_use use) {
  const auto values = pattern.values();
  return {pattern.size(), static_cast<std::uint32_t>(values.size()), [&](std::uint32_t value) {
            const flow_place place = values[value].place;
            const bool is_written = place == flow_place::whole || place == flow_place::apart;
            return use == flow_memory_use::dsa || is_written ? values[value].producer : task_lists::nobody;
          }};
}

task_lists created_by(const flow_pattern& pattern) {
  return {pattern.size(), pattern.size(), [&](std::uint32_t task) {
            return pattern[task].creator == task ? task_lists::nobody : pattern[task].creator;
          }};
}

/// The values of a task.
class item_list {
 public:
  void add(const flow_value& of, bool is_in_block, std::byte* data) {
    items_[count_++] = {of.block, of.part, is_in_block, data};
  }
  [[nodiscard]] std::span<const flow_item> all() const noexcept { return std::span(items_).first(count_); }

 private:
  std::array<flow_item, flow_pattern::most_values> items_;
  std::size_t count_ = 0;
};

}  // namespace

flow_instance::flow_instance(std::string name, std::unique_ptr<flow_program> program, flow_memory_use use,
                             const instance_input& input)
    : name_(std::move(name)),
      program_(std::move(program)),
      rules_(input.arrays),
      outputs_(outputs_of(program_->pattern(), use)),
      created_(created_by(program_->pattern())),
      arrays_(*program_, use, rules_),
      values_(program_->pattern()) {
  flow_instance::reset();
}

void flow_instance::fill(std::size_t first, std::size_t last) {
  arrays_.fill(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
}

void flow_instance::reset() {
  reset_by([](std::size_t count, const range_body& body) { body(0, count); });
}

void flow_instance::reset_by(const range_loop& loop) {
  if (rules_.setup == array_setup::parallel) arrays_.make(rules_);
  arrays_.clear_apart();
  loop(program_->pattern().blocks(), [this](std::size_t first, std::size_t last) { fill(first, last); });
}

void flow_instance::reset_nearfork() {
  if (rules_.setup == array_setup::serial) return reset();
  reset_by([this](std::size_t count, const range_body& body) {
    region({.name = name_ + " setup", .input_bytes = arrays_.size_bytes()}, [&] {
      parallel_for_range(std::size_t{0}, count, [&](std::size_t first, std::size_t last) { body(first, last); });
    });
  });
}

bool flow_instance::is_left_out(std::uint32_t task) const noexcept {
  const flow_step& what = program_->pattern()[task];
  return what.kernel == flow_kernel::control || arrays_.is_left_out(what);
}

void flow_instance::gather_uses(std::uint32_t task, std::vector<flow_use>& uses) const {
  if (arrays_.use() == flow_memory_use::shm) return arrays_.gather_uses(task, outputs_[task], uses);
  uses.clear();
  for (const std::uint32_t value : outputs_[task]) uses.push_back({values_.name_of(value), 1, true});
  for (const std::uint32_t value : program_->pattern().inputs(task)) uses.push_back({values_.name_of(value), 1, false});
}

void flow_instance::compute_on(std::uint32_t task, std::span<const flow_item> inputs,
                               std::span<const flow_item> outputs) {
  const flow_step& what = program_->pattern()[task];
  std::byte* const to = what.final_bytes > 0 ? arrays_.final_block(what.block) : nullptr;
  if (what.kernel == flow_kernel::control) return;
  if (what.kernel == flow_kernel::copy_out) {
    std::memcpy(to, inputs.front().data, what.final_bytes);
    return;
  }
  if (what.kernel == flow_kernel::copy_in) {
    std::memcpy(outputs.front().data, arrays_.initial_block(what.block), what.initial_bytes);
  } else {
    const std::byte* const initial = what.initial_bytes > 0 ? arrays_.initial() : nullptr;
    program_->compute({what, inputs, outputs, initial, to});
  }
  const std::span<const flow_value> values = program_->pattern().values();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (values[outputs_[task][i]].place == flow_place::part) program_->copy_part(outputs[i], outputs.front().data);
}

void flow_instance::compute_in_arrays(std::uint32_t task) {
  const flow_pattern& pattern = program_->pattern();
  item_list inputs, outputs;
  const auto add = [&](item_list& to, std::uint32_t value) {
    const flow_value& one = pattern.values()[value];
    to.add(one, one.place == flow_place::part, arrays_.place_of(value));
  };
  for (const std::uint32_t value : pattern.inputs(task)) add(inputs, value);
  for (const std::uint32_t value : outputs_[task]) add(outputs, value);
  compute_on(task, inputs.all(), outputs.all());
}

void flow_instance::compute(std::uint32_t task) {
  if (arrays_.use() == flow_memory_use::shm) return compute_in_arrays(task);
  const flow_pattern& pattern = program_->pattern();
  item_list inputs, outputs;
  for (const std::uint32_t value : pattern.inputs(task))
    inputs.add(pattern.values()[value], false, values_.data(value));
  for (const std::uint32_t value : outputs_[task]) outputs.add(pattern.values()[value], false, values_.take(value));
  compute_on(task, inputs.all(), outputs.all());
  for (const std::uint32_t value : pattern.inputs(task)) values_.let_go(value);
  for (const std::uint32_t value : outputs_[task])
    if (!values_.has_readers(value)) values_.let_go(value);
}

void flow_instance::begin() {
  if (arrays_.use() == flow_memory_use::dsa) values_.begin();
}

void flow_instance::run_serial() {
  begin();
  for (std::uint32_t task = 0; task < tasks(); ++task)
    if (!is_left_out(task)) compute(task);
}

void flow_instance::run_in_arrays() {
  dataflow graph;
  std::vector<flow_use> uses;
  std::vector<access> accesses;
  for (std::uint32_t task = 0; task < tasks(); ++task) {
    if (is_left_out(task)) continue;
    gather_uses(task, uses);
    accesses.clear();
    for (const flow_use& one : uses) {
      const std::span piece(one.data, one.bytes);
      accesses.push_back(one.writes ? inout(piece) : in(piece));
    }
    graph.task(std::span<const access>(accesses), [this, task] { compute_in_arrays(task); });
  }
  graph.sync();
}

void flow_instance::run_nearfork() {
  if (arrays_.use() == flow_memory_use::shm) run_in_arrays();
  else single_assignment_run(*this).run();
}

std::string flow_instance::fault() const {
  return program_->fault(arrays_.final_blocks());
}

void flow_instance::corrupt(std::uint64_t where) {
  const std::vector<const std::byte*> blocks = arrays_.final_blocks();
  std::uint64_t block = where % blocks.size();
  while (blocks[block] == nullptr) block = (block + 1) % blocks.size();
  program_->corrupt(static_cast<std::uint32_t>(block), const_cast<std::byte*>(blocks[block]), where / blocks.size());
}

}  // namespace nearfork::workloads
