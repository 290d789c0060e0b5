// The relief of a scheduler: another one, with as many workers, for what comes from outside while the system has all of
// the first one's workers blocked (runtime/relief/relief.hpp).
#include "base/fork_order.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {
namespace {

/// Calls from outside, and nothing else: a relief has no plans, writes no files and binds no thread.
config settings_of_relief(const config& of, unsigned workers) {
  config made = of;
  made.policy = "random";
  made.workers = workers;
  made.pin = pinning::off;
  made.pin_waits = false;
  made.strict = false;
  made.power = power_use::off;
  made.report.clear();
  made.record.clear();
  made.trace.clear();
  return made;
}

}  // namespace

crew& scheduler::make_relief() {
  const no_fork_meanwhile until_started;
  const std::lock_guard lock(facts_mutex_);
  further_ = std::make_unique<scheduler>(settings_of_relief(settings_, crew_.worker_count()), machine_,
                                         make_policy("random"), counting_, data_.memory());
  further_->workers().relieve(crew_);
  return further_->workers();
}

scheduler* scheduler::further() const {
  const std::lock_guard lock(facts_mutex_);
  return further_.get();
}

/// The relief last: a call that goes on may still need it.
void scheduler::close() noexcept {
  crew_.entrance().close();
  if (scheduler* const relieving = further()) relieving->close();
}

void scheduler::add_relief(run_report& into) const {
  const std::uint64_t given = relief_.given();
  if (given == 0) return;
  into.degradations.push_back(
      {.what = "calls from outside were run by further threads",
       .where = std::to_string(given) + (given == 1 ? " call or task" : " calls and tasks"),
       .why = "the system had all " + std::to_string(crew_.worker_count()) +
              " workers blocked, in locks, files or waits for threads",
       .remedy = "let tasks wait for futures, events or groups of nearfork, or give what blocks a thread of its own"});
}

}  // namespace nearfork
