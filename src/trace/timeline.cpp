#include "trace/timeline.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <nearfork/detail/steal_distance.hpp>

namespace nearfork::traces {
namespace {

const char* text_of(wake_cause cause) noexcept {
  switch (cause) {
    case wake_cause::outside: return "a thread from outside";
    case wake_cause::shared_work: return "shared work";
    case wake_cause::pool_work: return "work in a pool";
    case wake_cause::stop: return "the runtime stops";
    case wake_cause::caller: return "a caller works in its place";
  }
  return "";
}

const char* text_of(iteration_word word) noexcept {
  switch (word) {
    case iteration_word::plain: return "plain";
    case iteration_word::profile: return "profile";
    case iteration_word::trial: return "trial";
    case iteration_word::steady: return "steady";
  }
  return "";
}

const char* name_of_task(task_origin origin) noexcept {
  switch (origin) {
    case task_origin::pool: return "task from a pool";
    case task_origin::injector: return "call from outside";
    case task_origin::caller: return "call on its caller's thread";
    case task_origin::stolen: return "stolen task";
    case task_origin::subtree: return "subtree";
    case task_origin::forked: return "task";
    case task_origin::spawned: return "task of a group";
    case task_origin::dataflow: return "dataflow task";
  }
  return "";
}

/// What is open on a fiber, innermost last.
struct open_slice {
  event_kind begun_by;
  mark_category category;
  std::string name;
  std::vector<fact> facts;
};

/// Before the first switch that the trace has of a worker, its fiber is not known: the worker stands for it.
constexpr std::uint64_t unknown_fiber_of(std::uint32_t worker) noexcept {
  return ~std::uint64_t{worker};
}

struct worker_state {
  std::uint64_t fiber;
  bool knows_fiber = false;
  bool is_parked = false;
};

/// The events of all workers and other threads, by time.
struct placed_event {
  const event* what;
  std::uint32_t worker;
};

/// The first time from which on no worker has lost events.
std::uint64_t first_complete_ns(const traced_run& run) noexcept {
  std::uint64_t first = 0;
  for (const traced_worker& one : run.workers)
    if (one.lost > 0 && !one.events.empty()) first = std::max(first, one.events.front().at);
  return first;
}

std::vector<placed_event> complete_events(const traced_run& run) {
  const std::uint64_t first = first_complete_ns(run);
  std::vector<placed_event> all;
  for (std::uint32_t i = 0; i < run.workers.size(); ++i)
    for (const event& one : run.workers[i].events)
      if (one.at >= first) all.push_back({&one, i});
  for (const event& one : run.others)
    if (one.at >= first) all.push_back({&one, 0});
  std::ranges::stable_sort(all, {}, [](const placed_event& one) { return one.what->at; });
  return all;
}

class replay {
 public:
  explicit replay(const traced_run& run) : run_(run) {
    for (std::uint32_t i = 0; i < run.workers.size(); ++i) workers_.push_back({.fiber = unknown_fiber_of(i)});
  }

  timeline made() {
    const std::vector<placed_event> all = complete_events(run_);
    made_.lost = lost_events(run_);
    for (const traced_worker& one : run_.workers) made_.lost += one.events.size();
    made_.lost += run_.others.size();
    made_.lost -= all.size();
    for (const placed_event& one : all) {
      now_ = one.what->at;
      worker_ = one.worker;
      take(*one.what);
    }
    close_all();
    return std::move(made_);
  }

 private:
  [[nodiscard]] worker_state& self() noexcept { return workers_[worker_]; }
  [[nodiscard]] std::vector<open_slice>& stack() { return stacks_[self().fiber]; }

  mark& add(mark_kind kind, mark_category category, std::string name = {}, std::vector<fact> facts = {}) {
    made_.marks.push_back({.at_ns = now_,
                           .worker = worker_,
                           .kind = kind,
                           .category = category,
                           .name = std::move(name),
                           .facts = std::move(facts)});
    return made_.marks.back();
  }
  mark& instant(mark_category category, std::string name, std::vector<fact> facts = {}) {
    return add(mark_kind::instant, category, std::move(name), std::move(facts));
  }

  // --- slices ---

  mark& open(event_kind by, mark_category category, std::string name, std::vector<fact> facts = {}) {
    stack().push_back({by, category, name, facts});
    return add(mark_kind::slice_begins, category, std::move(name), std::move(facts));
  }

  /// Ends the innermost slice of this kind, and those inside, whose ends did not come. Nothing: it began too early.
  void close(event_kind begun_by, std::vector<fact> facts = {}) {
    auto& slices = stack();
    const auto found = std::ranges::find(slices.rbegin(), slices.rend(), begun_by, &open_slice::begun_by);
    if (found == slices.rend()) return;
    const auto deeper = static_cast<std::size_t>(found - slices.rbegin());
    const auto end_last = [&](std::vector<fact> said) {
      add(mark_kind::slice_ends, slices.back().category).facts = std::move(said);
      slices.pop_back();
    };
    for (std::size_t i = 0; i < deeper; ++i) end_last({});
    end_last(std::move(facts));
  }

  void leave_fiber() {
    const auto& slices = stack();
    for (auto one = slices.rbegin(); one != slices.rend(); ++one) add(mark_kind::slice_ends, one->category);
  }
  void enter_fiber() {
    for (const open_slice& one : stack()) {
      std::vector<fact> facts = one.facts;
      facts.push_back({"goes on", "after a wait"});
      add(mark_kind::slice_begins, one.category, one.name, std::move(facts));
    }
  }

  void switch_fiber(const event& one) {
    worker_state& here = self();
    if (!here.knows_fiber && one.value != 0) {  // what has begun since the trace's beginning is on that fiber
      auto& known = stacks_[one.value];
      auto& unknown = stacks_[here.fiber];
      known.insert(known.end(), std::move_iterator(unknown.begin()), std::move_iterator(unknown.end()));
      unknown.clear();
      here.fiber = one.value;
    }
    const auto cause = static_cast<switch_cause>(one.detail);
    const char* const why = cause == switch_cause::waits      ? "suspended: waits for a task"
                            : cause == switch_cause::is_sent  ? "goes on in another domain"
                            : cause == switch_cause::is_given ? "given to a worker on a faster core"
                                                              : nullptr;
    if (why != nullptr) instant(mark_category::task, why);
    leave_fiber();
    here.fiber = one.subject != 0 ? one.subject : unknown_fiber_of(worker_);
    here.knows_fiber = one.subject != 0;
    enter_fiber();
    if (cause == switch_cause::resumes) instant(mark_category::task, "resumed");
  }

  // --- flows: from where a task was shared or sent to where it runs ---

  void begin_flow(std::size_t mark_at, std::uint64_t flow) { made_.marks[mark_at].flows.push_back(flow); }

  void take_steal(const event& one) {
    const std::uint64_t flow = ++flows_;
    if (const auto shared = shared_at_.find(one.value); shared != shared_at_.end()) begin_flow(shared->second, flow);
    mark& made = instant(mark_category::stealing, "steal",
                         {{"from worker", std::to_string(one.number)},
                          {"distance", std::string(name_of(static_cast<steal_distance>(one.detail)))}});
    made.flows.push_back(flow);
    flow_to_[one.subject] = flow;
  }

  void send(const event& one) {
    const std::uint64_t flow = ++flows_;
    instant(mark_category::task, "sends a task", {{"to domain", std::to_string(one.number)}}).flows.push_back(flow);
    flow_to_[one.subject] = flow;
  }

  void begin_task(const event& one) {
    const auto origin = static_cast<task_origin>(one.detail);
    mark& begun = open(event_kind::task_begins, mark_category::task, name_of_task(origin));
    if (origin >= task_origin::subtree) return;  // part of the task that was sent or stolen
    if (const auto found = flow_to_.find(one.subject); found != flow_to_.end()) {
      begun.last_of_flow = found->second;
      flow_to_.erase(found);
    }
  }

  // --- sleep ---

  void park() {
    if (std::exchange(self().is_parked, true)) return;
    add(mark_kind::slice_begins, mark_category::worker, "parked");
  }
  void wake(const event& one) {
    const std::uint64_t flow = ++flows_;
    instant(mark_category::worker, "wakes a worker",
            {{"worker", std::to_string(one.number)}, {"because of", text_of(static_cast<wake_cause>(one.detail))}})
        .flows.push_back(flow);
    woken_by_[one.number] = waker{.flow = flow, .worker = worker_, .cause = static_cast<wake_cause>(one.detail)};
  }
  void be_woken(const event& one) {
    if (!std::exchange(self().is_parked, false)) return;
    add(mark_kind::slice_ends, mark_category::worker);
    auto cause = static_cast<wake_cause>(one.detail);
    const std::optional<waker> by =
        cause == wake_cause::outside ? std::exchange(woken_by_[worker_], std::nullopt) : std::nullopt;
    if (by) cause = by->cause;
    mark& woken = instant(mark_category::worker, "woken", {{"because of", text_of(cause)}});
    if (!by) return;
    woken.facts.push_back({"by worker", std::to_string(by->worker)});
    woken.last_of_flow = by->flow;
  }

  void take(const event& one) {
    if (one.kind == event_kind::counts) return count(one);
    // A worker that was woken before it slept goes on without having parked.
    if (one.kind != event_kind::parks && one.kind != event_kind::woken) woken_by_[worker_].reset();
    switch (one.kind) {
      case event_kind::none: break;
      case event_kind::task_begins: begin_task(one); break;
      case event_kind::task_ends: close(event_kind::task_begins); break;
      case event_kind::takes_steal: take_steal(one); break;
      case event_kind::shares:
        instant(mark_category::stealing, "shares tasks");
        shared_at_[one.subject] = made_.marks.size() - 1;
        break;
      case event_kind::shares_forced:
        instant(mark_category::stealing, "shares another worker's tasks", {{"of worker", std::to_string(one.number)}});
        shared_at_[one.subject] = made_.marks.size() - 1;
        break;
      case event_kind::sends: send(one); break;
      case event_kind::switches: switch_fiber(one); break;
      case event_kind::parks: park(); break;
      case event_kind::wakes: wake(one); break;
      case event_kind::woken: be_woken(one); break;
      case event_kind::region_begins:
        open(event_kind::region_begins, mark_category::region, "region " + run_.names[one.name],
             {{"iteration", std::to_string(one.value)}, {"kind", text_of(static_cast<iteration_word>(one.detail))}});
        break;
      case event_kind::region_ends:
        close(event_kind::region_begins,
              one.detail != 0 ? std::vector<fact>{} : std::vector<fact>{{"ended", "by an exception"}});
        break;
      case event_kind::plan_changes:
        instant(mark_category::region, "plan changes",
                {{"region", run_.names[one.name]}, {"why", run_.names[one.number]}});
        break;
      case event_kind::pages_move:
        instant(mark_category::memory, "pages move",
                {{"region", run_.names[one.name]}, {"bytes", std::to_string(one.value)}});
        break;
      case event_kind::span_begins: open(event_kind::span_begins, mark_category::program, run_.names[one.name]); break;
      case event_kind::span_ends: close(event_kind::span_begins); break;
      case event_kind::counts: break;
    }
  }

  /// It is on no worker's track.
  void count(const event& one) {
    add(mark_kind::counter, mark_category::program, run_.names[one.name]).value = std::bit_cast<double>(one.value);
  }

  /// What is open ends with the trace. What waits has no track.
  void close_all() {
    for (worker_ = 0; worker_ < workers_.size(); ++worker_) {
      if (self().is_parked) add(mark_kind::slice_ends, mark_category::worker);
      leave_fiber();
    }
  }

  struct waker {
    std::uint64_t flow;
    std::uint32_t worker;
    wake_cause cause;
  };

  const traced_run& run_;
  timeline made_;
  std::vector<worker_state> workers_;
  std::unordered_map<std::uint64_t, std::vector<open_slice>> stacks_;  // by fiber
  std::unordered_map<std::uint64_t, std::size_t> shared_at_;           // by fiber: the mark that last shared its jobs
  std::unordered_map<std::uint64_t, std::uint64_t> flow_to_;           // by job
  std::vector<std::optional<waker>> woken_by_{run_.workers.size()};    // by worker
  std::uint64_t now_ = 0;
  std::uint32_t worker_ = 0;
  std::uint64_t flows_ = 0;
};

}  // namespace

timeline timeline_of(const traced_run& run) {
  return replay(run).made();
}

}  // namespace nearfork::traces
