// From configuration to scheduler: machine, policy, pinning, and what strict mode makes of degradations.
#include <algorithm>
#include <cerrno>

#include <nearfork/error.hpp>

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
  if (const affinity_source& mask = machine_->affinity(); mask.refused != 0)
    degrade({.what = mask.is_from_proc ? "the affinity mask is read from /proc, and nobody sees when it changes"
                                       : "the affinity mask is not known, and all PUs count as ours",
             .where = "this process",
             .why = "sched_getaffinity: " + with_number(mask.refused),
             .remedy = "allow sched_getaffinity in the sandbox's seccomp profile (nearfork doctor)"});
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
  auto made =
      std::make_unique<scheduler>(settings, load_machine(settings.machine, settings.machine_folder), std::move(how));
  if (!settings.strict) return made;
  made->try_counting();
  const run_report facts = made->report();
  if (facts.degradations.empty()) return made;
  std::string message = "nearfork: strict mode, and not everything could be had:";
  for (const degradation& one : facts.degradations)
    message += "\n  " + one.what + " (" + one.where + "): " + one.why + "; " + one.remedy;
  throw error(message);
}

}  // namespace nearfork
