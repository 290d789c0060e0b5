// From configuration to scheduler: machine, policy, pinning, and what strict mode makes of degradations.
#include <algorithm>
#include <cerrno>

#include <nearfork/error.hpp>

#include "base/monotonic_clock.hpp"
#include "base/signal_fence.hpp"
#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "machine/live/pinning.hpp"
#include "memory/system/own_allocations.hpp"
#include "memory/system/page_nodes.hpp"
#include "runtime/lifetime/configured_machine.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {
namespace {

/// A described machine has no real cores: its workers are virtual and run wherever the system puts them.
bool is_virtual(const machine& where) {
  return where.source() != machine_source::live;
}

}  // namespace

/// Why no worker is to be bound; empty: each is. Clocks can be managed only if it is known which core a worker runs on.
std::string scheduler::why_unbound() const {
  if (settings_.pin == pinning::off) return "pinning is off";
  if (!policy_->needs().pinned_workers) return "policy " + std::string(policy_->name()) + " leaves workers unpinned";
  if (is_virtual(*machine_)) return "the machine is described, not live";
  if (places_.size() > machine_->pus().size()) return "more workers than PUs";
  if (settings_.pin == pinning::automatic && !is_uneven(*machine_) && settings_.power != power_use::manage)
    return "the machine has one cache domain, one memory node and one kind of core";
  return {};
}

/// The cores of the workers, each once: what clocks call core i is the i-th of them.
std::vector<core_id> scheduler::cores_of_workers() const {
  std::vector<core_id> cores;
  for (const worker_place& place : places_) {
    const core_id core = machine_->at(place.pu).core;
    if (std::find(cores.begin(), cores.end(), core) == cores.end()) cores.push_back(core);
  }
  return cores;
}

/// Called before the first worker starts.
std::unique_ptr<runtime_power> scheduler::take_power(const power_system& on) const {
  auto made = std::make_unique<runtime_power>(settings_.power, settings_.goal, on);
  if (settings_.power != power_use::manage) return made;
  if (const std::string why = why_unbound(); !why.empty()) {
    made->do_not_manage("workers are not bound to cores: " + why, "let workers be bound: NEARFORK_PIN=on");
    return made;
  }
  const std::vector<core_id> cores = cores_of_workers();
  std::vector<std::vector<unsigned>> cpus_of_core;
  for (const core_id core : cores) {
    cpus_of_core.emplace_back();
    for (const pu_id pu : machine_->at(core).pus) cpus_of_core.back().push_back(number_of(machine_->at(pu).os));
  }
  std::vector<std::uint32_t> core_of_worker;
  for (const worker_place& place : places_) {
    const auto found = std::find(cores.begin(), cores.end(), machine_->at(place.pu).core);
    core_of_worker.push_back(static_cast<std::uint32_t>(found - cores.begin()));
  }
  made->manage(cpus_of_core, core_of_worker, where_managed(policy_->clocks(*machine_)));
  return made;
}

/// Called before the first worker starts.
std::shared_ptr<hotness> scheduler::take_hotness(std::shared_ptr<hotness> given) const {
  if (!policy_->needs().heat || !data_.places()) return nullptr;
  if (given == nullptr) given = live_hotness(settings_);
  given->try_out();
  return given;
}

/// `given`: memory whose nodes are asked instead of the system's.
std::unique_ptr<page_sight> scheduler::take_sight(const region_memory* given) const {
  if (settings_.report.empty()) return nullptr;
  page_sight::facts of{.page_bytes = system_page_bytes()};
  const bool is_real = given != nullptr || !is_virtual(*machine_);
  for (std::uint32_t i = 0; i < crew_.worker_count(); ++i) of.domain_of_worker.push_back(crew_.worker_at(i).domain);
  for (std::uint32_t i = 0; i < crew_.layout().domains(); ++i)
    of.domains.push_back({is_real ? traces::node_of_domain(*planned_for_, i) : std::nullopt});
  if (is_real)
    for (const memory_node& one : machine_->nodes()) of.nodes.push_back(number_of(one.os));
  page_sight::page_asker ask = nodes_of_pages;
  if (given != nullptr) ask = [given](auto pages, auto nodes) { return given->find_nodes(pages, nodes); };
  return std::make_unique<page_sight>(std::move(of), std::move(ask), &now_ns);
}

/// Each change of a clock is a counter's value, by the names that the simulator uses: "MHz of core 3".
void scheduler::trace_clocks() {
  worker_clocks* const clocks = power_->clocks();
  if (clocks == nullptr) return;
  const std::vector<core_id> cores = cores_of_workers();
  std::vector<std::string> counters;
  for (const clock_unit& unit : clocks->control().units()) {
    std::string& name = counters.emplace_back(unit.cores.size() == 1 ? "MHz of core " : "MHz of cores ");
    for (std::size_t i = 0; i < unit.cores.size(); ++i)
      name += (i > 0 ? ", " : "") + std::to_string(index_of_id(cores[unit.cores[i]]));
  }
  clocks->trace_to(trace_->rings(), std::move(counters));
}

/// A worker that could not be bound may run on any core, and its waiting says nothing of a clock.
void scheduler::check_bindings() {
  if (power_->clocks() == nullptr) return;
  const std::lock_guard lock(facts_mutex_);
  const bool all_bound =
      std::ranges::all_of(placements_, [](const worker_report& one) { return one.os_pu.has_value(); });
  if (!all_bound)
    power_->give_up("not all workers could be bound to cores", "allow sched_setaffinity (nearfork doctor)");
}

void scheduler::pin(worker& self) {
  worker_report fact;
  fact.index = self.index;
  fact.domain = self.domain;
  const os_index target = machine_->at(places_[self.index].pu).os;
  fact.pin_note = why_unbound();
  if (fact.pin_note.empty()) {
    if (const int refused = pin_this_thread(target); refused == 0) {
      fact.os_pu = number_of(target);
      crew_.note_pin(self, target);
    } else {
      fact.pin_note = with_number(refused);
      degrade({.what = "worker is not pinned",
               .where = "worker " + std::to_string(self.index) + ", PU " + std::to_string(number_of(target)),
               .why = fact.pin_note,
               .remedy = "allow sched_setaffinity (nearfork doctor), or set NEARFORK_PIN=off"});
    }
  }
  const std::lock_guard lock(facts_mutex_);
  placements_[self.index] = std::move(fact);
}

/// Notes what could not be learned or was not obeyed. Called before the first worker starts.
void scheduler::note_missing_facts() {
  if (!settings_.ignored_variables.empty())
    degrade(
        {.what = "environment variables are ignored",
         .where = listed(settings_.ignored_variables),
         .why = "this program is privileged (setuid, setgid or file capabilities), and its environment is not its own",
         .remedy = "set the options in the program or by its flags, or unset the variables"});
  if (const owner_fence& fences = crew_.fences(); fences.membarrier_refused() != 0) {
    const bool by_signals = fences.can_force();
    degrade({.what = by_signals ? "workers in long tasks are interrupted by a signal, so that others get their jobs"
                                : "jobs of a worker in a long task may have to wait until it forks or joins",
             .where = by_signals ? "this process, signal " + std::to_string(fence_signal()) : "this process",
             .why = "membarrier: " + with_number(fences.membarrier_refused()) +
                    (by_signals ? "" : "; signals: " + with_number(fences.signals_refused())),
             .remedy = "allow membarrier in the sandbox's seccomp profile (nearfork doctor)"});
  }
  if (const affinity_source& mask = machine_->affinity(); mask.refused != 0)
    degrade({.what = mask.is_from_proc ? "the affinity mask is read from /proc, and later changes are not noticed"
                                       : "the affinity mask is not known, and all PUs count as ours",
             .where = "this process",
             .why = "sched_getaffinity: " + with_number(mask.refused),
             .remedy = "allow sched_getaffinity in the sandbox's seccomp profile (nearfork doctor)"});
}

bool is_policy_named(const config& settings, const policy& how) {
  return how.name() != config{}.policy || settings.source_of("policy") != "default";
}

/// With one domain nothing is placed, and no policy asks how large a task is.
void scheduler::try_counting() {
  if (!policy_->needs().task_sizes || machine_->domains().size() < 2) return;
  const counter_opening opened = counting_->open_for_this_thread();
  if (opened.counter == nullptr) crew_.uncounted().note(opened.refused, "all workers");
}

std::unique_ptr<scheduler> make_scheduler(const config& settings, const power_system& power) {
  settings.check();
  const own_allocations here;
  auto how = make_policy(settings.policy);
  const bool is_named = is_policy_named(settings, *how);
  auto made = std::make_unique<scheduler>(settings, configured_machine(settings), std::move(how), live_miss_counting(),
                                          nullptr, power);
  if (!settings.strict) return made;
  // The default policy does without sizes, too, and the report says what it was content with.
  if (is_named) made->try_counting();
  throw_if_degraded(made->report());
  return made;
}

void throw_if_degraded(const run_report& facts) {
  if (facts.degradations.empty()) return;
  std::string message = "nearfork: strict mode, and not everything could be had:";
  for (const degradation& one : facts.degradations)
    message += "\n  " + one.what + " (" + one.where + "): " + one.why + "; " + one.remedy;
  throw error(message);
}

}  // namespace nearfork
