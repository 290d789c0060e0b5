#include "runtime/regions/region_table.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

#include <nearfork/parallel_for.hpp>

#include "base/monotonic_clock.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

/// Why the misses of an iteration's tasks are not known; empty: they are. Bytes that only some workers counted say
/// nothing of how large a task is beside another.
std::string why_not_counted(const region_iteration& iteration) {
  if (!iteration.misses_not_counted.empty()) return iteration.misses_not_counted;
  const bool any = std::ranges::any_of(iteration.own, [](task_cost own) { return own.size_bytes > 0; });
  return any ? "" : "the counters stayed at zero: does the hypervisor only show them?";
}

/// Where there is no memory for the reason, in words that need none.
void note_uncounted(region_iteration& iteration, const std::string& why) noexcept {
  try {
    iteration.misses_not_counted = why;
  } catch (const std::bad_alloc&) {
    iteration.misses_not_counted = "no memory";
  }
}

/// The profile of a profiling iteration, by the best costs there are. Nothing where it is not whole.
std::optional<profile> recorded_in(region_iteration& iteration) {
  if (iteration.outgrown) return std::nullopt;
  region_record& record = *iteration.record;
  record.misses_not_counted = why_not_counted(iteration);
  const bool counted = record.misses_not_counted.empty();
  profile made(std::move(iteration.tree), counted ? cost_source::cache_misses : cost_source::time,
               record.course.facts().input_bytes);
  for (std::uint32_t i = 0; i < iteration.own.size(); ++i) {
    task_cost own = iteration.own[i];
    if (!counted) own.size_bytes = 0;
    made.record(tree_node{i}, own);
  }
  if (counted) made.complete();
  else made.take_bytes_from_shares();
  record.costs = made.source();
  return made;
}

/// What the policy decided, and from what.
std::vector<std::string> why_of(const region_record& record) {
  std::vector<std::string> lines = lines_of(record.course.in_force().why());
  if (record.costs) {
    lines.push_back("cost source: " + std::string(name_of(*record.costs)));
    if (!record.misses_not_counted.empty()) lines.back() += "; misses not counted: " + record.misses_not_counted;
  }
  if (record.untaught > 0)
    lines.push_back("iterations that taught nothing: " + std::to_string(record.untaught) +
                    "; the last: " + (record.why_untaught.empty() ? "no memory" : record.why_untaught));
  return lines;
}

region_report report_of(const std::string& name, const region_record& record) {
  return {.name = name,
          .iterations = record.course.iterations(),
          .plain = record.course.iterations() - record.course.profiled() - record.course.planned(),
          .profiled = record.course.profiled(),
          .planned = record.course.planned(),
          .cost_source = record.costs ? std::string(name_of(*record.costs)) : "",
          .misses_not_counted = record.misses_not_counted,
          .why = why_of(record),
          .input_bytes = record.course.facts().input_bytes,
          .placed_blocks = record.placed_blocks,
          .moved_bytes = record.moved_bytes,
          .moves_undone = record.data.undone()};
}

/// Where the program has not said how large the region's data are, its placed blocks tell.
void take_bytes_from_blocks(region_record& record, const region_data& blocks) {
  if (record.says_input_bytes || blocks.blocks == 0) return;
  record.placed_blocks = blocks.blocks;
  record.course.learn_input_bytes(blocks.bytes);
}

}  // namespace

region_table::region_table(const machine& where, const policy& how, std::size_t most_profiled, data_placing data,
                           iterations_in_progress& counted_in)
    : machine_(where),
      policy_(how),
      most_profiled_(std::max<std::size_t>(1, most_profiled)),
      data_(std::move(data)),
      in_progress_(counted_in) {}

region_record& region_table::find_or_add(const region_options& options) {
  const auto found = regions_.find(options.name);
  if (found != regions_.end()) return *found->second;
  const region_data blocks = options.input_bytes > 0 ? region_data{} : data_.data_of(options.name);
  auto made = std::make_unique<region_record>(region_record{
      .course = {machine_, policy_, {.name = options.name, .input_bytes = std::max(options.input_bytes, blocks.bytes)}},
      .says_input_bytes = options.input_bytes > 0,
      .placed_blocks = blocks.blocks});
  return *regions_.emplace(options.name, std::move(made)).first->second;
}

std::unique_ptr<region_iteration> region_table::enter(const region_options& options) {
  data_.count_iteration(options.name);
  std::unique_ptr<region_iteration> made = begin(options);
  if (made == nullptr) return made;
  bring_data(*made, options.name);
  made->started_ns = now_ns();
  return made;
}

/// Without the lock: pages may take milliseconds to move, and other regions go on meanwhile.
void region_table::bring_data(region_iteration& iteration, const std::string& region) {
  try {
    iteration.moved = data_.bring(region, iteration.data);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    count_in_progress(iteration, -1);
    give_up(iteration);
    throw;
  }
}

/// What the iteration would have told is not known.
void region_table::give_up(region_iteration& iteration) noexcept {
  iteration.record->course.abandon();
  if (data_.places()) end_data(iteration, std::nullopt);
}

void region_table::end_data(region_iteration& iteration, std::optional<std::uint64_t> duration_ns) {
  region_record& record = *iteration.record;
  const bool comparable = iteration.kind.planned && !iteration.kind.profiling;
  record.moved_bytes += iteration.moved.moved_bytes;
  record.data.end({.moved = iteration.moved.moved_bytes > 0,
                   .in_place = iteration.moved.in_place,
                   .duration_ns = comparable ? duration_ns : std::nullopt});
}

std::unique_ptr<region_iteration> region_table::begin(const region_options& options) {
  const std::lock_guard lock(mutex_);
  region_record& record = find_or_add(options);
  const std::optional<iteration_kind> begun = record.course.begin();
  if (!begun) return nullptr;
  try {
    auto made = std::unique_ptr<region_iteration>(new region_iteration{.record = &record,
                                                                       .kind = *begun,
                                                                       .started_ns = 0,
                                                                       .growing = {},
                                                                       .tree = task_tree(most_profiled_),
                                                                       .own = {task_cost{}}});
    if (data_.places()) made->data = record.data.begin(record.course.in_force());
    count_in_progress(*made, 1);
    return made;
  } catch (...) {
    record.course.abandon();
    throw;
  }
}

void region_table::count_in_progress(const region_iteration& iteration, int step) noexcept {
  const auto by = static_cast<std::uint32_t>(step);
  if (iteration.kind.profiling) in_progress_.profiling.fetch_add(by, detail::seam::memory_order_relaxed);
  if (iteration.kind.planned) in_progress_.planned.fetch_add(by, detail::seam::memory_order_relaxed);
}

void region_table::leave(std::unique_ptr<region_iteration> iteration, bool complete) noexcept {
  const std::lock_guard lock(mutex_);
  count_in_progress(*iteration, -1);
  if (!complete) return give_up(*iteration);
  region_record& record = *iteration->record;
  try {
    learn(*iteration, now_ns() - iteration->started_ns);
  } catch (const std::exception& failed) {
    record.course.abandon();
    ++record.untaught;
    try {
      record.why_untaught = failed.what();
    } catch (const std::bad_alloc&) {
      record.why_untaught.clear();
    }
  }
}

void region_table::learn(region_iteration& iteration, std::uint64_t duration_ns) {
  region_record& record = *iteration.record;
  if (data_.places()) end_data(iteration, duration_ns);
  take_bytes_from_blocks(record, data_.data_of(record.course.facts().name));
  iteration_outcome outcome;
  outcome.duration_ns = duration_ns;
  outcome.steals_between_domains = iteration.watch.steals_between_domains();
  outcome.wait_ns_of_domain = iteration.watch.wait_ns_of_domain();
  outcome.moved_data = iteration.moved.moved_bytes > 0;
  outcome.strayed = iteration.strayed.load(detail::seam::memory_order_relaxed);
  if (iteration.kind.profiling) outcome.recorded = recorded_in(iteration);
  record.course.end(iteration.kind, std::move(outcome));
}

std::vector<region_report> region_table::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<region_report> all;
  for (const auto& [name, record] : regions_) all.push_back(report_of(name, *record));
  return all;
}

tree_node record_fork(tree_cursor& parent, std::uint32_t branching) {
  if (parent.node == no_node) return no_node;
  region_iteration& iteration = *parent.iteration;
  const std::lock_guard lock(iteration.growing);
  const tree_node first = iteration.tree.try_fork(parent.node, branching);
  if (first == no_node) iteration.outgrown = true;
  else iteration.own.resize(iteration.tree.size());
  return first;
}

std::uint32_t record_birth(fiber& self, tree_cursor& parent, std::uint32_t branching) noexcept {
  detail::recorded_place& at = parent.recorded;
  if (at.log == nullptr) return 0;
  const std::uint32_t first = at.log->note_birth(self.runner->index, at, branching);
  at.begin_next_stretch();
  return first;
}

void start_clock(fiber& self, tree_cursor& task) noexcept {
  if (!task.measured()) return;
  worker& me = *self.runner;
  self.on_the_clock = &task;
  task.started = {.on = &me};
  if (task.node != no_node) {
    me.misses.open_if_needed(me);
    // The counter is read last, and first when the clock is stopped: so what measuring itself misses is nobody's.
    task.started.ns = now_ns();
    task.started.bytes = me.misses.read_bytes();
  }
  if (task.recorded.log == nullptr) return;
  const detail::recording_clock& clock = task.recorded.log->clock();
  task.started.ticks = clock.now() + clock.read_ticks;
}

tree_cursor* stop_clock(fiber& self) noexcept {
  tree_cursor* const task = std::exchange(self.on_the_clock, nullptr);
  if (task == nullptr) return nullptr;
  worker& me = *self.runner;
  assert(task->started.on == &me);
  if (detail::iteration_log* const log = task->recorded.log) {
    const std::int64_t ticks = log->clock().now() - task->started.ticks;
    (void)log->note(me.index, {.task = task->recorded.task, .stretch = task->recorded.stretch, .ticks = ticks});
  }
  if (task->node == no_node) return task;
  const std::uint64_t bytes = me.misses.read_bytes();
  const task_cost spent{.size_bytes = bytes - task->started.bytes, .time_ns = now_ns() - task->started.ns};
  region_iteration& iteration = *task->iteration;
  const std::lock_guard lock(iteration.growing);
  iteration.own[index_of(task->node)] += spent;
  if (iteration.misses_not_counted.empty()) note_uncounted(iteration, me.misses.why_not());
  return task;
}

}  // namespace nearfork
