#include "sim/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

/// Where virtual time ends: 53 days. Half of what 64 bits count is left for what memory and scheduling take.
constexpr std::uint64_t most_ps = std::uint64_t{1} << 62;
constexpr double ps_per_s = 1e12;

/// Slices and acts between two questions whether to go on: some 30 ms.
constexpr std::uint32_t acts_between_questions = 1 << 14;

std::string seconds(double time_ps) {
  return std::to_string(std::llround(time_ps / ps_per_s)) + " s";
}

std::vector<worker_place> places_of(const machine& where, std::uint32_t workers) {
  if (workers > where.pus().size())
    throw error("nearfork: " + std::to_string(workers) + " simulated workers were asked for; " + where.provenance() +
                " has " + std::to_string(where.pus().size()) + " hardware threads");
  return place_workers(where, workers);
}

virtual_crew::orders orders_of(const machine& where, const policy& how) {
  return {how.order(where, phase::running), how.order(where, phase::profiling)};
}

/// nullptr: power is not shared.
std::unique_ptr<power_sharing> sharing_of(const machine& where, const policy& how, const machine_model& model,
                                          std::span<const worker_place> places, run_goal goal) {
  const clock_sharing wanted = goal == run_goal::time ? how.clocks(where) : where_managed(how.clocks(where));
  if (wanted == clock_sharing::none || !can_share_power(model)) return nullptr;
  return std::make_unique<power_sharing>(where, model, places, wanted);
}

}  // namespace

void require_time_for(double work_ps, double begun_ps) {
  if (begun_ps + work_ps <= static_cast<double>(most_ps)) return;
  throw error("nearfork: an iteration that works " + seconds(work_ps) + ", begun after " + seconds(begun_ps) +
              ", may end after " + seconds(static_cast<double>(most_ps)) +
              ", where simulated time ends; simulate fewer iterations, or a smaller problem");
}

engine::engine(const machine& where, const policy& how, const engine_settings& settings, const machine_model& model,
               std::uint64_t data_bytes)
    : costs_(settings.costs.value_or(model.costs)),
      policy_name_(how.name()),
      needs_(how.needs()),
      planned_for_(seen_by(how.needs(), {std::shared_ptr<const machine>(), &where})),  // not owned
      places_(places_of(*planned_for_, settings.workers)),
      crew_(layout_of(where, places_), orders_of(*planned_for_, how), settings.seed),
      work_(where, model, data_bytes, places_),
      energy_(where, model),
      where_(where),
      model_(model),
      search_(crew_, time_, costs_, call_times(crew_.layout(), costs_, where, model.between, places_), report_.schedule,
              settings.log),
      tasks_({crew_, time_, search_, work_, costs_, report_, settings.log},
             settings.keep_tasks ? running_tasks::task_log::all : running_tasks::task_log::none),
      power_(sharing_of(where, how, model, places_, settings.goal)),
      clocks_(settings.clocks != nullptr ? settings.clocks : power_.get()),
      log_(settings.log),
      mugs_(how.mugs()),
      goes_on_(settings.goes_on) {
  if (log_ != nullptr) log_->begin(where, places_);
}

void engine::place_data(const program& what) {
  const std::vector<std::uint32_t> nodes = first_touch_nodes(*planned_for_);
  node_of_domain_.assign(nodes.begin(), nodes.end());
  if (what.placing.how != placing_rule::first_write) work_.apply(what.placing, where_, model_, what.arrays);
  else apply_rules_of(what.arrays);
  for (const data_array& one : what.arrays) work_.place(one, what.pages, nodes);
  if (!what.setup.empty() && !what.input_is_given) work_.wait_for_writes();
}

/// Each array's own.
void engine::apply_rules_of(std::span<const data_array> arrays) {
  std::vector<data_array> follow;
  for (const data_array& one : arrays)
    if (one.how == placing_rule::follow_plan || (one.how == placing_rule::first_write && needs_.all_data))
      follow.push_back(one);
    else work_.apply({.how = one.how}, where_, model_, {&one, 1});
  if (!follow.empty()) work_.apply({.how = placing_rule::follow_plan}, where_, model_, follow);
}

own_work::brought engine::bring(const data_step& step, std::uint64_t most_bytes) {
  const own_work::brought made =
      work_.bring(step, node_of_domain_, last_worker_, time_.now_ps(), most_bytes / work_.page_bytes());
  moving_ps_ = made.ended_ps - time_.now_ps();
  return made;
}

iteration_report engine::run(const task_graph& graph, iteration_kind kind, const plan& in_force) {
  begin_iteration(graph, kind, in_force);
  const std::uint64_t moving_ps = std::exchange(moving_ps_, 0);
  const std::uint64_t began_ps = time_.now_ps() + moving_ps;
  const memory_counts before = work_.counts();
  const std::vector<std::uint64_t> served_before = work_.served_lines();
  const work_search::beginning root = search_.hand_over(last_worker_, in_force.begins_in());
  crew_.begin_work(root.worker);
  search_.begin_root(root);
  if (log_ != nullptr)
    log_->begin_iteration(root.worker, root.at_ps + moving_ps, word_for<traces::iteration_word>(kind, in_force));
  tasks_.start_root(root.worker);
  time_.announce(root.at_ps + moving_ps, root.worker);
  follow_clock_rule();
  while (!tasks_.root_ended_on()) {
    if (time_.empty()) stand_still();
    const event next = time_.take();
    switch (next.what) {
      case event_kind::turn: take_turn(next.worker); break;
      case event_kind::last_look: look_before_sleep(next.worker); break;
      case event_kind::clock: set_clock(clock_changes_[next.worker]); break;
      case event_kind::clocks: ask_clock_rule(); break;
    }
    follow_clock_rule();
  }
  last_worker_ = *tasks_.root_ended_on();
  work_.end_iteration();
  report_.duration_ps = time_.now_ps() - began_ps;
  report_.moving_ps = moving_ps;
  report_.pages = work_.pages();
  report_.memory = work_.counts() - before;
  report_.busy_ps = work_.busy_ps();
  report_.stall_ps = work_.stall_ps();
  report_.wait_ps_of_domain = search_.waited_ps();
  report_.traffic_bytes_of_node = traffic_since(served_before);
  report_.energy_nj = energy_used();
  report_.locality = locality_of(graph);
  if (log_ != nullptr) note_end_of_iteration();
  return std::move(report_);
}

void engine::note_end_of_iteration() {
  log_->end_iteration(last_worker_, now_ps());
  for (std::size_t node = 0; node < report_.traffic_bytes_of_node.size(); ++node)
    log_->count(last_worker_, now_ps(), "bytes of the iteration from node " + std::to_string(node),
                static_cast<double>(report_.traffic_bytes_of_node[node]));
}

void engine::begin_iteration(const task_graph& graph, iteration_kind kind, const plan& in_force) {
  require_time_for(static_cast<double>(graph.compute_ns()) * 1000 * work_.most_slowness(),
                   static_cast<double>(time_.now_ps()));
  crew_.begin_iteration(kind.profiling, kind.planned);
  report_ = {};
  report_.kind = kind;
  report_.packing_level = in_force.empty() ? 0 : in_force.why().packing_level;
  report_.settled = in_force.standing().settled;
  report_.decision = in_force.why().decision;
  if (power_ != nullptr) power_->work_at(kind.clocks);
  search_.begin_iteration();
  work_.begin_iteration(graph.size(), {.heat = kind.profiling && needs_.heat, .locality = in_force.locates()});
  tasks_.begin_iteration(graph, in_force, kind.first_sweep);
  for (std::uint32_t i = 0; i < crew_.layout().domains(); ++i) {
    crew_.expect_subtrees(i, in_force.subtrees_at_home_in(i));
    crew_.let_cross(i, in_force.may_cross(i));
  }
}

/// Of the subtrees that the plan asks about. A parent has a lower number than its children.
std::vector<subtree_traffic> engine::locality_of(const task_graph& graph) const {
  std::vector<subtree_traffic> made;
  if (work_.reads().empty()) return made;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> subtree_of(graph.size(), none);
  for (const subtree_run& one : report_.subtrees) {
    subtree_of[index_of(one.root)] = static_cast<std::uint32_t>(made.size());
    made.push_back({.root = one.root, .domain = static_cast<std::uint16_t>(one.domain)});
  }
  for (std::uint32_t i = 1; i < graph.size(); ++i)
    if (subtree_of[i] == none) subtree_of[i] = subtree_of[index_of(graph.tree().parent(tree_node{i}))];
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (subtree_of[i] == none) continue;
    made[subtree_of[i]].local += static_cast<double>(work_.reads()[i].local);
    made[subtree_of[i]].remote += static_cast<double>(work_.reads()[i].remote);
  }
  return made;
}

std::optional<std::uint64_t> engine::energy_used() {
  return energy_.used_nj(report_.moving_ps + report_.duration_ps, work_.take_core_work());
}

std::vector<std::uint64_t> engine::traffic_since(const std::vector<std::uint64_t>& served_before) const {
  std::vector<std::uint64_t> bytes = work_.served_lines();
  for (std::size_t node = 0; node < bytes.size(); ++node)
    bytes[node] = (bytes[node] - served_before[node]) * work_.line_bytes();
  return bytes;
}

void engine::stand_still() const {
  throw error("nearfork: the simulation has come to a stand: there are " + std::to_string(crew_.jobs()) +
              " tasks that no free worker may take under policy " + policy_name_);
}

void engine::ask_whether_to_go_on() {
  acts_ = 0;
  if (goes_on_ && !goes_on_(tasks_.ended_fraction())) throw interrupted_run{};
}

// --- clocks ---

void engine::change_clock(core_id core, std::uint32_t mhz, std::uint64_t at_ps) {
  work_.pace().require_clock(core, mhz);
  if (at_ps < now_ps())
    throw error("nearfork: a clock was to change at " + std::to_string(at_ps) + " ps; it is " +
                std::to_string(now_ps()) + " ps already");
  const clock_change wanted{.core = core, .mhz = mhz};
  if (at_ps == now_ps()) return set_clock(wanted);
  time_.announce(at_ps, static_cast<std::uint32_t>(clock_changes_.size()), event_kind::clock);
  clock_changes_.push_back(wanted);
}

void engine::set_clock(const clock_change& now) {
  work_.set_clock(now.core, now.mhz, now_ps());
  if (log_ != nullptr)
    log_->count(last_worker_, now_ps(), "MHz of core " + std::to_string(index_of_id(now.core)), now.mhz);
  tasks_.move_turns();
}

void engine::follow_clock_rule() {
  if (clocks_ == nullptr || asks_clock_rule_ || work_.pace().changes() == changes_seen_) return;
  if (clocks_->delay_ps() == 0) return ask_clock_rule();
  asks_clock_rule_ = true;
  time_.announce(now_ps() + clocks_->delay_ps(), 0, event_kind::clocks);
}

void engine::ask_clock_rule() {
  asks_clock_rule_ = false;
  changes_seen_ = work_.pace().changes();
  for (const clock_change& one : clocks_->choose(work_.pace())) {
    work_.pace().require_clock(one.core, one.mhz);
    set_clock(one);
  }
}

// --- turns ---

void engine::take_turn(std::uint32_t worker) {
  if (search_.is_called(worker)) answer_call(worker);
  else go_on(worker);
}

/// Until another worker has its turn.
void engine::go_on(std::uint32_t worker) {
  for (;;) {
    if (++acts_ == acts_between_questions) ask_whether_to_go_on();
    if (mugs_ && is_mugged(worker)) return;
    const std::uint64_t until_ps = tasks_.advance(worker);
    follow_clock_rule();
    if (!tasks_.has_task(worker)) return;
    if (!time_.none_until(until_ps)) return time_.announce(until_ps, worker);
    time_.go_on_to(until_ps);
  }
}

/// True if a worker on a faster core, which finds nothing to do, has taken over the worker's task.
bool engine::is_mugged(std::uint32_t worker) {
  if (crew_.jobs() > 0) return false;
  const auto faster = search_.idle_worker_for(
      worker, [&](std::uint32_t other) { return work_.slowness(other) < work_.slowness(worker); });
  if (!faster) return false;
  time_.announce(tasks_.move_task(worker, *faster), *faster);
  const std::uint64_t ready_ps = tasks_.seek(worker);
  if (tasks_.has_task(worker)) time_.announce(ready_ps, worker);
  return true;
}

void engine::answer_call(std::uint32_t worker) {
  search_.activate(worker);
  const std::uint64_t ready_ps = tasks_.seek(worker);
  if (tasks_.has_task(worker)) time_.announce(ready_ps, worker);
  search_.pass_on(worker);
}

void engine::look_before_sleep(std::uint32_t worker) {
  const searched_task found = search_.look_before_sleep(worker);
  if (!found) return;
  time_.announce(tasks_.begin_found(worker, found), worker);
  search_.pass_on(worker);
}

}  // namespace nearfork::sim
