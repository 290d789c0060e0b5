#include "sim/dataflow/dataflow_run.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <nearfork/error.hpp>

#include "sim/dataflow/block_memory.hpp"
#include "sim/dataflow/exclusive_tasks.hpp"
#include "sim/dataflow/flow_events.hpp"
#include "sim/dataflow/task_slices.hpp"
#include "sim/engine/event_queue.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint32_t none = dataflow_program::nobody;
constexpr std::uint64_t tasks_between_calls = 4096;

std::uint64_t pool_bytes_for(const dataflow_program& what, const machine& where, const dataflow_settings& settings) {
  if (settings.pool_bytes != 0) return settings.pool_bytes;
  const std::uint64_t page_bytes = std::bit_ceil(std::uint64_t{settings.model.page_bytes});
  std::uint64_t largest = page_bytes;
  for (const flow_block& one : what.blocks())
    if (one.kind == flow_memory::buffer) largest = std::max(largest, std::bit_ceil(one.bytes));
  return 3 * most_live_bytes(what, settings.allocation, page_bytes) + std::uint64_t{8} * node_count(where) * largest;
}

void require_sensible(const dataflow_settings& settings) {
  const std::string_view why = conflict(settings.activation.push, settings.allocation);
  if (!why.empty()) throw error("nearfork: " + std::string(why));
  if (settings.mailbox_tasks == 0) throw error("nearfork: a mailbox for 0 tasks; give it room for one at least");
  if (settings.events != nullptr && settings.regions.size() != settings.marks.size())
    throw error("nearfork: events of a simulated dataflow run need a region for each mark");
}

class flow_engine {
 public:
  flow_engine(const dataflow_program& what, const machine& where, const dataflow_settings& settings)
      : what_(what),
        settings_(settings),
        costs_(access_costs_of(where)),
        random_(settings.seed),
        crew_(where, settings.workers, settings.victims),
        memory_(what, where, settings.model,
                layout_of(what, settings.model.page_bytes, pool_bytes_for(what, where, settings)), settings.arrays),
        slices_(what, where, settings, memory_, crew_),
        ready_(crew_.size(), settings.mailbox_tasks),
        workers_(crew_.size()),
        trace_(settings.events, where, crew_, settings.marks, settings.regions, what.tasks()) {
    if (settings.arrays == own_arrays::first_touch)
      memory_.place_global(settings.pages, where, settings.model, crew_.node_of(0));
    for (std::uint32_t task = 0; task < what.tasks(); ++task) missing_.push_back(what.waits_for(task));
    report_.busy_ps_of_worker.resize(crew_.size());
  }

  dataflow_report run() {
    begin();
    while (!events_.empty() && !report_.interrupted) take_turn(events_.take().worker);
    if (!report_.interrupted && report_.tasks != what_.tasks())
      throw error("nearfork: a simulated dataflow program ended with tasks that did not run");
    return finished_report();
  }

 private:
  struct worker_state {
    std::uint32_t task = none;
    std::uint64_t began_ps = 0;
    bool idle = false;
    std::uint64_t idle_since_ps = 0;
  };

  [[nodiscard]] const cost_model& costs() const noexcept { return settings_.model.costs; }

  /// What is there before the run belongs to the first worker; all others look for work.
  void begin() {
    double work_ps = 0;
    for (std::uint32_t task = 0; task < what_.tasks(); ++task)
      work_ps += static_cast<double>(what_.compute_ns(task)) * 1000;
    require_time_for(work_ps, 0);
    for (std::uint32_t task = 0; task < what_.tasks(); ++task)
      if (what_.creator(task) == none)
        allocate(task, access_kind::read, crew_.node_of(0), buffer_allocation::immediate);
    for (std::uint32_t task = 0; task < what_.tasks(); ++task)
      if (missing_[task] == 0 && alone_.try_begin(task)) push(0, task);
    for (std::uint32_t worker = 0; worker < crew_.size(); ++worker) events_.announce(0, worker);
  }

  void take_turn(std::uint32_t worker) {
    worker_state& at = workers_[worker];
    std::uint64_t now_ps = events_.now_ps();
    if (at.task != none && !slices_.is_done(worker)) {
      events_.announce(slices_.run(worker, now_ps), worker);
      return;
    }
    if (at.task != none) now_ps += end_task(worker);
    if (!report_.interrupted) begin_next(worker, now_ps);
  }

  // --- tasks ---
  void begin_next(std::uint32_t worker, std::uint64_t now_ps) {
    worker_state& at = workers_[worker];
    std::uint64_t cost_ps = 0;
    const std::optional<std::uint32_t> task = find(worker, cost_ps);
    if (!task) {
      at.idle = true;
      at.idle_since_ps = now_ps;
      ++idle_;
      return;
    }
    now_ps += cost_ps;
    at.task = *task;
    at.began_ps = now_ps;
    allocate(*task, access_kind::write, crew_.node_of(worker), buffer_allocation::deferred);
    slices_.begin(worker, *task);
    trace_.begin(worker, *task, now_ps);
    events_.announce(now_ps, worker);
    for (std::size_t i = ready_.in_deque(worker); i > 0 && idle_ > 0; --i)
      wake_near(worker, worker, now_ps, traces::wake_cause::shared_work);
  }

  /// Returns what the acts of the scheduler cost.
  std::uint64_t end_task(std::uint32_t worker) {
    worker_state& at = workers_[worker];
    const std::uint32_t task = std::exchange(at.task, none);
    count_accesses(worker, task);
    report_.busy_ps += events_.now_ps() - at.began_ps;
    report_.busy_ps_of_worker[worker] += events_.now_ps() - at.began_ps;
    if (settings_.keeps_log) report_.log.push_back({task, worker, at.began_ps, events_.now_ps()});
    report_.duration_ps = events_.now_ps();

    std::uint64_t cost_ps = 0;
    for (const std::uint32_t created : what_.created_by(task)) cost_ps += create(worker, created);
    for (const flow_access& one : what_.accesses(task)) {
      if (!what_.is_buffer(one.block)) continue;
      if (one.kind == access_kind::read) memory_.done_reading(one.block);
      else memory_.done_writing(one.block);
    }
    for (const std::uint32_t follower : what_.followers(task)) cost_ps += satisfy(worker, follower);
    alone_.end(task, [&](std::uint32_t next) { cost_ps += activate(worker, next); });
    note_mark(task);
    trace_.end(worker, task, events_.now_ps());
    if (++report_.tasks % tasks_between_calls == 0 && settings_.goes_on)
      report_.interrupted = !settings_.goes_on(static_cast<double>(report_.tasks) / what_.tasks());
    return cost_ps;
  }

  std::uint64_t create(std::uint32_t worker, std::uint32_t task) {
    allocate(task, access_kind::read, crew_.node_of(worker), buffer_allocation::immediate);
    std::uint64_t cost_ps = costs().planned_fork_ps + satisfy(worker, task);
    for (const flow_access& one : what_.accesses(task))
      if (what_.is_buffer(one.block) && one.kind == access_kind::read)
        cost_ps += satisfy(worker, what_.producer(one.block));
    return cost_ps;
  }

  /// The buffers that the task reads or writes get memory, if this is when they do.
  void allocate(std::uint32_t task, access_kind kind, std::uint32_t node, buffer_allocation when) {
    for (const flow_access& one : what_.accesses(task)) {
      if (!what_.is_buffer(one.block) || one.kind != kind) continue;
      const bool unread = kind == access_kind::write && what_.readers(one.block) == 0;
      if (settings_.allocation == when || unread) memory_.allocate(one.block, node);
    }
  }

  // --- activation ---
  std::uint64_t satisfy(std::uint32_t worker, std::uint32_t task) {
    if (--missing_[task] != 0 || !alone_.try_begin(task)) return 0;
    return activate(worker, task);
  }

  void push(std::uint32_t worker, std::uint32_t task) {
    ready_.push(worker, task);
    trace_.push(worker, task, events_.now_ps());
  }

  std::uint64_t activate(std::uint32_t worker, std::uint32_t task) {
    const auto node = choose_activation(node_id{crew_.node_of(worker)}, placed(task, access_kind::read),
                                        placed(task, access_kind::write), settings_.activation, costs_, random_);
    if (!node || crew_.workers_of(static_cast<std::uint32_t>(index_of_id(*node))).empty()) {
      push(worker, task);
      return costs().fork_ps;
    }
    return send(worker, static_cast<std::uint32_t>(index_of_id(*node)), task);
  }

  std::uint64_t send(std::uint32_t worker, std::uint32_t node, std::uint32_t task) {
    const auto there = crew_.workers_of(node);
    const std::uint32_t target = there[random_.below(static_cast<std::uint32_t>(there.size()))];
    if (!ready_.try_send(target, task)) {
      ++report_.mailbox_full;
      push(worker, task);
      return costs().pool_ps;
    }
    ++report_.pushed;
    trace_.send(worker, target, task, events_.now_ps());
    if (workers_[target].idle) wake(worker, target, events_.now_ps(), traces::wake_cause::pool_work);
    else if (idle_ > 0) wake_near(worker, target, events_.now_ps(), traces::wake_cause::pool_work);
    return costs().pool_ps;
  }

  [[nodiscard]] const std::vector<placed_bytes>& placed(std::uint32_t task, access_kind kind) {
    std::vector<placed_bytes>& made = kind == access_kind::read ? placed_in_ : placed_out_;
    made.clear();
    if (settings_.activation.push == push_heuristic::none) return made;
    for (const flow_access& one : what_.accesses(task)) {
      const bool decides = what_.is_buffer(one.block) || settings_.arrays == own_arrays::first_touch;
      if (!decides || one.kind != kind) continue;
      const auto node = memory_.node_of(one.block, one.first_byte + one.bytes / 2);
      made.push_back({node ? std::optional(node_id{*node}) : std::nullopt, one.bytes});
    }
    return made;
  }

  // --- looking for work ---
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t worker, std::uint64_t& cost_ps) {
    cost_ps += ready_.empty_mailbox(worker) * costs().fork_ps;
    if (const auto own = ready_.pop(worker)) return own;
    if (ready_.in_deques() > 0)
      if (const auto stolen = steal(worker, cost_ps)) return stolen;
    if (ready_.in_mailboxes() > 0) return rob(worker, cost_ps);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::uint32_t> steal(std::uint32_t worker, std::uint64_t& cost_ps) {
    std::optional<std::uint32_t> found;
    ask_in_turn(crew_.victims(worker), random_, [&](std::uint32_t victim) {
      found = ready_.steal(victim);
      if (!found) cost_ps += costs().failed_look_ps;
      else cost_ps += steal_ps(worker, victim);
      if (!found) return false;
      ++report_.stolen[static_cast<std::size_t>(crew_.distance(worker, victim))];
      trace_.steal(victim, crew_.distance(worker, victim), *found);
      return true;
    });
    return found;
  }

  [[nodiscard]] std::optional<std::uint32_t> rob(std::uint32_t worker, std::uint64_t& cost_ps) {
    std::optional<std::uint32_t> found;
    ask_in_turn(crew_.by_distance(worker), random_, [&](std::uint32_t victim) {
      if (workers_[victim].task != none) found = ready_.rob(victim);
      cost_ps += found ? steal_ps(worker, victim) : costs().failed_look_ps;
      if (found) ++report_.robbed;
      return found.has_value();
    });
    return found;
  }

  [[nodiscard]] std::uint64_t steal_ps(std::uint32_t worker, std::uint32_t victim) const noexcept {
    return costs().steal_ps[static_cast<std::size_t>(crew_.distance(worker, victim))];
  }

  /// The nearest to `worker` that is idle.
  void wake_near(std::uint32_t by, std::uint32_t worker, std::uint64_t now_ps, traces::wake_cause why) {
    for (const flow_crew::ring& one : crew_.by_distance(worker))
      for (const std::uint32_t other : one.workers)
        if (workers_[other].idle) return wake(by, other, now_ps, why);
  }

  void wake(std::uint32_t by, std::uint32_t worker, std::uint64_t now_ps, traces::wake_cause why) {
    worker_state& at = workers_[worker];
    at.idle = false;
    --idle_;
    const bool is_parked = now_ps > at.idle_since_ps && now_ps - at.idle_since_ps > costs().spin_ps;
    const std::uint64_t answers_ps =
        std::max(now_ps, at.idle_since_ps) + (is_parked ? costs().wake_ps : costs().notice_ps);
    if (is_parked) trace_.wake(by, worker, why, at.idle_since_ps + costs().spin_ps, now_ps, answers_ps);
    events_.announce(answers_ps, worker);
  }

  // --- counting ---
  void count_accesses(std::uint32_t worker, std::uint32_t task) {
    for (const flow_access& one : what_.accesses(task)) {
      if (!what_.is_buffer(one.block)) continue;
      located_bytes& at = one.kind == access_kind::read ? report_.read : report_.written;
      (memory_.node_of(one.block) == crew_.node_of(worker) ? at.local : at.remote) += one.bytes;
    }
  }

  void note_mark(std::uint32_t task) {
    if (marked_.size() == settings_.marks.size() || settings_.marks[marked_.size()] != task) return;
    marked_.push_back(report_);
    marked_.back().log.clear();
    count_memory(marked_.back());
  }

  void count_memory(dataflow_report& into) const {
    const std::uint64_t lines = settings_.model.line_stands_for;
    into.memory = memory_.hierarchy().counts() * lines;
    into.pages = memory_.hierarchy().pages().counts();
    into.most_live_bytes = memory_.pools().most_live_bytes();
    into.fresh_bytes = memory_.pools().fresh_bytes();
    into.pool_fell_back = memory_.pools().fell_back();
    into.hint_faults = slices_.hint_faults();
  }

  dataflow_report finished_report() {
    count_memory(report_);
    report_.at_marks = std::move(marked_);
    return std::move(report_);
  }

  const dataflow_program& what_;
  const dataflow_settings& settings_;
  access_costs costs_;
  rng random_;
  flow_crew crew_;
  block_memory memory_;
  task_slices slices_;
  ready_tasks ready_;
  event_queue events_;
  std::vector<worker_state> workers_;
  std::size_t idle_ = 0;
  std::vector<std::uint32_t> missing_;  // by task
  exclusive_tasks alone_{what_};
  std::vector<dataflow_report> marked_;
  std::vector<placed_bytes> placed_in_, placed_out_;
  dataflow_report report_{};
  flow_events trace_;
};

}  // namespace

access_costs access_costs_of(const machine& where) {
  constexpr std::uint32_t local = 10, elsewhere = 20;
  const std::uint32_t nodes = node_count(where);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    std::optional<domain_id> cores;
    for (std::uint32_t d = 0; d < where.domains().size() && !cores; ++d)
      if (first_touch_node(where, domain_id{d}) == from) cores = domain_id{d};
    for (std::uint32_t memory = 0; memory < nodes; ++memory)
      rows.push_back(cores ? distance_to(where, *cores, memory) : (memory == from ? local : elsewhere));
  }
  return access_costs(std::move(rows));
}

dataflow_report run_dataflow(const dataflow_program& what, const machine& where, const dataflow_settings& settings) {
  require_sensible(settings);
  return flow_engine(what, where, settings).run();
}

}  // namespace nearfork::sim
