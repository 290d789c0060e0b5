#include "sim/dataflow/recorded_flow.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "sim/programs/recorded_program.hpp"

namespace nearfork::sim {
namespace {

using recordings::flow_order;

constexpr std::uint32_t nobody = dataflow_program::nobody;

std::size_t stretches_of(const recordings::task_graph& graph) {
  return graph.tasks() + graph.fork_count();
}

/// Which blocks are buffers in one iteration.
class buffer_uses {
 public:
  buffer_uses(const recordings::recording& recorded, const recordings::task_graph& graph)
      : blocks_(recorded.blocks), uses_(recorded.blocks.size()) {
    for (const std::uint32_t one : recorded.buffers) uses_[one].is_buffer = true;
    const flow_order& flow = graph.flow();
    const std::vector<std::uint32_t> first_siblings = graph.first_siblings();
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
      const auto place = flow.place_of(task);
      const bool created_by_waiting_task = place && flow.creator(*place) == flow_order::by_waiting_task;
      for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i)
        for (const recordings::data_access& one : graph.work(task, i).accesses)
          add(one, first_siblings[task], i == 0 && created_by_waiting_task, i == 0 && place.has_value());
    }
  }

  [[nodiscard]] bool is_buffer(std::uint32_t block) const noexcept {
    return uses_[block].is_buffer && uses_[block].writers == 1;
  }

 private:
  struct use {
    bool is_buffer = false;
    std::uint32_t writers = 0;
    std::uint32_t fork = 0;  // its first child; 0: not known yet
  };

  void add(const recordings::data_access& one, std::uint32_t fork, bool created_by_waiting_task, bool is_dataflow) {
    use& of = uses_[one.block];
    const bool writes = one.kind == recordings::access_kind::write;
    if (of.fork == 0) of.fork = fork;
    const bool suits = is_dataflow && of.fork == fork && (writes || created_by_waiting_task) && one.count == 1 &&
                       (!writes || (one.begin_byte == 0 && one.size_bytes == blocks_[one.block].bytes));
    if (!suits) of.is_buffer = false;
    if (writes) ++of.writers;
  }

  const std::vector<recordings::data_block>& blocks_;
  std::vector<use> uses_;
};

class course_maker {
 public:
  explicit course_maker(const recordings::recording& recorded) : recorded_(recorded), pieces_(recorded) {
    for (const recordings::data_block& one : recorded.blocks)
      global_.push_back(one.bytes == 0 ? nobody : made_.what.add_block(flow_memory::global, one.bytes));
  }

  void add(const recordings::task_graph& graph) {
    made_.begins.push_back(made_.what.tasks());
    graph_ = &graph;
    block_of_ = global_;
    const buffer_uses uses(recorded_, graph);
    for (const std::uint32_t one : recorded_.buffers)
      if (uses.is_buffer(one)) block_of_[one] = made_.what.add_block(flow_memory::buffer, recorded_.blocks[one].bytes);
    first_of_.clear();
    for (std::uint32_t task = 0, next = made_.what.tasks(); task < graph.tasks(); ++task) {
      first_of_.push_back(next);
      next += static_cast<std::uint32_t>(graph.forks(task).size()) + 1;
    }
    forked_by_.assign(graph.tasks(), nobody);
    const std::uint32_t first_exclusion = made_.what.exclusion_numbers();
    for (std::uint32_t task = 0; task < graph.tasks(); ++task) add_task(task, first_exclusion);
    if (!made_.ends.empty()) made_.what.add_order(made_.ends.back(), first_of_[0]);
    made_.ends.push_back(last_of(0));
  }

  flow_course finish(std::size_t setup_parts) {
    made_.what.finish();
    made_.setup_parts = setup_parts;
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::uint32_t last_of(std::uint32_t task) const {
    return first_of_[task] + static_cast<std::uint32_t>(graph_->forks(task).size());
  }

  void add_task(std::uint32_t task, std::uint32_t first_exclusion) {
    const auto forks = graph_->forks(task);
    const flow_order& flow = graph_->flow();
    const auto place = flow.place_of(task);
    std::uint32_t creator = forked_by_[task];
    if (place && flow.creator(*place) != flow_order::by_waiting_task) creator = last_of(flow.creator(*place));
    for (std::uint32_t i = 0; i <= forks.size(); ++i) {
      const auto work = graph_->work(task, i);
      const std::uint32_t made = made_.what.add_task(work.time_ns, accesses_of(work), i == 0 ? creator : nobody);
      if (i == forks.size()) break;
      std::fill_n(forked_by_.begin() + forks[i].first_child, forks[i].branching, made);
    }
    if (forked_by_[task] != nobody) made_.what.add_order(last_of(task), forked_by_[task] + 1);
    if (!place) return;
    for (const std::uint32_t one : flow.predecessors(*place)) made_.what.add_order(last_of(one), first_of_[task]);
    for (const std::uint32_t one : flow.exclusions(*place))
      made_.what.add_exclusion(first_of_[task], last_of(task), first_exclusion + one);
  }

  std::span<const flow_access> accesses_of(const recordings::task_graph::stretch& work) {
    accesses_.clear();
    for (const recordings::data_access& one : work.accesses) {
      const access_kind kind = one.kind == recordings::access_kind::write ? access_kind::write : access_kind::read;
      for (const access_pieces::piece& each : pieces_.of(one))
        accesses_.push_back({block_of_[one.block], kind, each.bytes, each.begin_byte});
    }
    return accesses_;
  }

  const recordings::recording& recorded_;
  flow_course made_;
  const recordings::task_graph* graph_ = nullptr;
  std::vector<std::uint32_t> global_;     // by block of the recording
  std::vector<std::uint32_t> block_of_;   // the same, of this iteration
  std::vector<std::uint32_t> first_of_;   // by task: its first stretch
  std::vector<std::uint32_t> forked_by_;  // by task: the stretch that its fork ends
  access_pieces pieces_;
  std::vector<flow_access> accesses_;
};

struct flow_rule {
  std::string_view name;
  push_heuristic push;
  buffer_allocation allocation;
  victim_choice victims;
};

/// Buffers that are written where their task runs have no place before: so output and weighted need immediate ones.
constexpr flow_rule rules[] = {
    {"random", push_heuristic::none, buffer_allocation::deferred, victim_choice::flat},
    {"push=none", push_heuristic::none, buffer_allocation::deferred, victim_choice::hierarchical},
    {"push=input", push_heuristic::input, buffer_allocation::deferred, victim_choice::hierarchical},
    {"push=output", push_heuristic::output, buffer_allocation::immediate, victim_choice::hierarchical},
    {"push=weighted", push_heuristic::weighted, buffer_allocation::immediate, victim_choice::hierarchical},
};

/// At most as many iterations as have four million tasks together, but two.
std::size_t iterations_that_fit(const recorded_flow& what, std::size_t wanted) {
  constexpr std::size_t most_tasks = 4'000'000;
  const recordings::region& one = recorded_region(*what.recorded, what.region);
  std::size_t largest = 1;
  for (const recordings::iteration& each : one.recorded) largest = std::max(largest, stretches_of(each.graph));
  return std::min(wanted, std::max<std::size_t>(2, most_tasks / largest));
}

/// What happened between two marks.
iteration_report between(const dataflow_report& before, const dataflow_report& now) {
  iteration_report made;
  made.duration_ps = now.duration_ps - before.duration_ps;
  for (std::size_t i = 0; i < steal_distances; ++i) made.schedule.steals[i] = now.stolen[i] - before.stolen[i];
  made.schedule.pool_takes = now.pushed - before.pushed;
  made.memory = now.memory - before.memory;
  made.pages = now.pages;
  for (std::size_t i = 0; i < now.busy_ps_of_worker.size(); ++i)
    made.busy_ps.push_back(now.busy_ps_of_worker[i] -
                           (before.busy_ps_of_worker.empty() ? 0 : before.busy_ps_of_worker[i]));
  made.stall_ps.resize(made.busy_ps.size());
  return made;
}

/// Marked at the ends of its parts.
dataflow_report run_course(const flow_course& course, const recorded_flow& what, const machine& where,
                           const flow_region_settings& settings, std::size_t iterations) {
  dataflow_settings how = settings.run;
  how.arrays = own_arrays::first_touch;
  how.pages = what.pages;
  how.order = access_order::sweep;
  how.marks = course.ends;
  std::vector<std::string> regions(course.setup_parts, "setup");
  regions.resize(course.ends.size(), recorded_region(*what.recorded, what.region).name);
  how.regions = regions;
  if (settings.goes_on)
    how.goes_on = [&](double done) { return settings.goes_on(done * static_cast<double>(iterations)); };
  return run_dataflow(course.what, where, how);
}

}  // namespace

bool has_dataflow(const recordings::region& one) {
  return std::ranges::any_of(one.recorded,
                             [](const recordings::iteration& each) { return !each.graph.flow().empty(); });
}

flow_course course_from(const recorded_flow& what, std::size_t iterations) {
  const recordings::region& one = recorded_region(*what.recorded, what.region);
  const std::vector<const recordings::region*> setup =
      what.is_set_up ? regions_before(*what.recorded, one) : std::vector<const recordings::region*>();
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < iterations; ++i) tasks += stretches_of(one.recorded[i % one.recorded.size()].graph);
  if (tasks >= std::numeric_limits<std::uint32_t>::max())
    throw error("nearfork: " + counted(iterations, "iteration") + " of region " + quoted(one.name) +
                " have too many tasks to be simulated; simulate fewer (--iterations)");
  course_maker made(*what.recorded);
  for (const recordings::region* const each : setup) made.add(each->recorded.front().graph);
  for (std::size_t i = 0; i < iterations; ++i) made.add(one.recorded[i % one.recorded.size()].graph);
  return made.finish(setup.size());
}

std::vector<std::string> flow_rule_names() {
  std::vector<std::string> made;
  for (const flow_rule& one : rules) made.emplace_back(one.name);
  return made;
}

void follow_rule(dataflow_settings& how, std::string_view name) {
  const auto* const found = std::ranges::find(rules, name, &flow_rule::name);
  if (found == std::end(rules))
    throw error("nearfork: dataflow tasks do not go by " + quoted(name) +
                "; they go by random, push=none, push=input, push=output or push=weighted");
  how.activation.push = found->push;
  how.allocation = found->allocation;
  how.victims = found->victims;
}

region_run run_recorded_flow(const recorded_flow& what, const machine& where, const flow_region_settings& settings) {
  const std::size_t iterations = iterations_that_fit(what, settings.iterations);
  const flow_course course = course_from(what, iterations);
  const dataflow_report seen = run_course(course, what, where, settings, iterations);
  region_run made;
  made.settled = true;
  made.interrupted = seen.interrupted;
  for (std::size_t i = course.setup_parts; i < seen.at_marks.size(); ++i)
    made.iterations.push_back(between(i == 0 ? dataflow_report() : seen.at_marks[i - 1], seen.at_marks[i]));
  return made;
}

std::optional<std::vector<std::vector<std::uint64_t>>> stretch_times_ns(const recorded_flow& what, const machine& where,
                                                                        const flow_region_settings& settings) {
  const std::size_t recorded = recorded_region(*what.recorded, what.region).recorded.size();
  const flow_course course = course_from(what, recorded + 1);
  flow_region_settings logged = settings;
  logged.run.keeps_log = true;
  const dataflow_report seen = run_course(course, what, where, logged, recorded + 1);
  if (seen.interrupted) return std::nullopt;
  std::vector<std::uint64_t> times_ns(course.what.tasks());
  for (const task_times& one : seen.log) times_ns[one.task] = (one.ended_ps - one.began_ps) / 1000;
  std::vector<std::vector<std::uint64_t>> made(recorded);
  for (std::size_t i = 0; i <= recorded; ++i) {
    const std::size_t part = course.setup_parts + i;
    const std::size_t end = part + 1 < course.begins.size() ? course.begins[part + 1] : times_ns.size();
    const auto of_part = std::span(times_ns).subspan(course.begins[part], end - course.begins[part]);
    made[i % recorded].assign(of_part.begin(), of_part.end());
  }
  return made;
}

}  // namespace nearfork::sim
