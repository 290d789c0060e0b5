#include "workloads/dataflow/single_assignment_run.hpp"

#include <array>
#include <utility>

#include "workloads/dataflow/flow_instance.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::size_t most_spans = flow_pattern::most_values + 1;  // and a block of the initial or the final data

template <std::size_t, class Span>
using each = Span;

/// A task with so many spans to read and to write. The spans that the task does not need are empty.
template <class Inputs, class Outputs>
struct spans_task;
template <std::size_t... I, std::size_t... O>
struct spans_task<std::index_sequence<I...>, std::index_sequence<O...>> {
  single_assignment_run* run;
  std::uint32_t task;

  void operator()(each<I, std::span<const flow_unit>>... inputs, each<O, std::span<flow_unit>>... outputs) const {
    const std::array<std::byte*, sizeof...(I)> read{
        reinterpret_cast<std::byte*>(const_cast<flow_unit*>(inputs.data()))...};
    const std::array<std::byte*, sizeof...(O)> written{reinterpret_cast<std::byte*>(outputs.data())...};
    run->compute(task, read, written);
  }
};

/// Creates a task with at least so many spans of each kind.
class task_maker {
 public:
  void read(const access& one) { inputs_[input_count_++] = one; }
  void write(const access& one) { outputs_[output_count_++] = one; }

  void create(dataflow& graph, single_assignment_run& run, std::uint32_t task) const {
    if (fits(2, 2)) return create_with<2, 2>(graph, run, task);
    if (fits(4, 4)) return create_with<4, 4>(graph, run, task);
    create_with<most_spans, most_spans>(graph, run, task);
  }

 private:
  using list = std::array<access, most_spans>;
  static constexpr std::span<flow_unit> nothing{};

  [[nodiscard]] bool fits(std::size_t inputs, std::size_t outputs) const noexcept {
    return input_count_ <= inputs && output_count_ <= outputs;
  }
  template <std::size_t Inputs, std::size_t Outputs>
  void create_with(dataflow& graph, single_assignment_run& run, std::uint32_t task) const {
    using callable = spans_task<std::make_index_sequence<Inputs>, std::make_index_sequence<Outputs>>;
    std::vector<access> all(inputs_.begin(), inputs_.begin() + Inputs);
    all.insert(all.end(), outputs_.begin(), outputs_.begin() + Outputs);
    graph.task(std::span<const access>(all), callable{&run, task});
  }
  static list filled(const access& with) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return list{((void)I, with)...};
    }(std::make_index_sequence<most_spans>());
  }

  list inputs_ = filled(in(nothing));
  list outputs_ = filled(out(nothing));
  std::size_t input_count_ = 0;
  std::size_t output_count_ = 0;
};

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
  task_maker made;
  for (const std::uint32_t value : pattern.inputs(task)) made.read(in(buffers_[value]));
  for (const std::uint32_t value : instance_.outputs_[task]) made.write(out(buffers_[value]));
  if (what.initial_bytes > 0) made.read(in(units_at(instance_.arrays_.initial_block(what.block), what.initial_bytes)));
  if (what.final_bytes > 0) made.write(out(units_at(instance_.arrays_.final_block(what.block), what.final_bytes)));
  made.create(graph_, *this, task);
  forget(pattern.inputs(task));
  forget(instance_.outputs_[task]);
}

/// A buffer lives as long as its tasks, once nobody else has a handle.
void single_assignment_run::forget(std::span<const std::uint32_t> values) {
  // acq_rel: other creators have used the handle before it ends.
  for (const std::uint32_t value : values)
    if (uncreated_[value].fetch_sub(1, std::memory_order_acq_rel) == 1) buffers_[value] = {};
}

void single_assignment_run::compute(std::uint32_t task, std::span<std::byte* const> inputs,
                                    std::span<std::byte* const> outputs) {
  const flow_pattern& pattern = instance_.program_->pattern();
  std::array<flow_item, flow_pattern::most_values> read, written;
  const auto gather = [&](std::span<const std::uint32_t> values, std::span<std::byte* const> from, auto& to) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const flow_value& one = pattern.values()[values[i]];
      to[i] = {one.block, one.part, false, from[i]};
    }
    return std::span<const flow_item>(to).first(values.size());
  };
  const auto from = gather(pattern.inputs(task), inputs, read);
  const auto to = gather(instance_.outputs_[task], outputs, written);
  instance_.compute_on(task, from, to);
  for (const std::uint32_t next : instance_.created_[task]) create(next);
}

}  // namespace nearfork::workloads
