// From configuration to scheduler: machine, policy, pinning, and what strict mode makes of degradations.
#include <algorithm>
#include <cerrno>

#include <nearfork/error.hpp>

#include "base/signal_fence.hpp"
#include "base/text/message_text.hpp"
#include "machine/live/pinning.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {
namespace {

/// A described machine has no real cores: its workers are virtual and run wherever the system puts them.
bool is_virtual(const machine& where) {
  return where.source() != machine_source::live;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

}  // namespace

void scheduler::pin(worker& self) {
  worker_report fact;
  fact.index = self.index;
  fact.domain = self.domain;
  const os_index target = machine_->at(places_[self.index].pu).os;
  if (settings_.pin == pinning::off) fact.pin_note = "pinning is off";
  else if (!policy_->needs().pinned_workers)
    fact.pin_note = "policy " + std::string(policy_->name()) + " leaves workers unpinned";
  else if (is_virtual(*machine_)) fact.pin_note = "the machine is described, not live";
  else if (crew_.worker_count() > machine_->pus().size()) fact.pin_note = "more workers than PUs";
  else if (settings_.pin == pinning::automatic && !is_uneven(*machine_))
    fact.pin_note = "the machine has one cache domain, one memory node and one kind of core";
  else if (const int refused = pin_this_thread(target); refused == 0) fact.os_pu = number_of(target);
  else {
    fact.pin_note = with_number(refused);
    degrade({.what = "worker is not pinned",
             .where = "worker " + std::to_string(self.index) + ", PU " + std::to_string(number_of(target)),
             .why = with_number(refused),
             .remedy = "allow sched_setaffinity (nearfork doctor), or set NEARFORK_PIN=off"});
  }
  if (fact.os_pu) crew_.note_pin(self, target);
  const std::lock_guard lock(facts_mutex_);
  placements_[self.index] = std::move(fact);
}

/// Notes what could not be learned or was not obeyed. Called before the first worker starts.
void scheduler::note_missing_facts() {
  if (!settings_.ignored_variables.empty())
    degrade(
        {.what = "environment variables are ignored",
         .where = joined(settings_.ignored_variables),
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

std::unique_ptr<scheduler> make_scheduler(const config& settings) {
  settings.check();
  auto how = make_policy(settings.policy);
  const bool is_named = is_policy_named(settings, *how);
  auto made =
      std::make_unique<scheduler>(settings, load_machine(settings.machine, settings.machine_folder), std::move(how));
  if (!settings.strict) return made;
  // The default policy does without sizes, too, and the report says what it was content with.
  if (is_named) made->try_counting();
  const run_report facts = made->report();
  if (facts.degradations.empty()) return made;
  std::string message = "nearfork: strict mode, and not everything could be had:";
  for (const degradation& one : facts.degradations)
    message += "\n  " + one.what + " (" + one.where + "): " + one.why + "; " + one.remedy;
  throw error(message);
}

}  // namespace nearfork
