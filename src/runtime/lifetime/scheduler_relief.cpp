// The relief of a scheduler: another one, with as many workers, for what comes from outside while the first one's
// workers are busy, or the system has them blocked (runtime/relief/relief.hpp).
#include <cstddef>
#include <string>
#include <vector>

#include "base/fork_order.hpp"
#include "machine/live/affinity.hpp"
#include "machine/live/mask_words.hpp"
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

/// While it lives, the calling thread may run on all PUs of the machine, and so may the threads that it starts: the
/// program may have bound it to one.
class unbound_meanwhile {
 public:
  explicit unbound_meanwhile(const machine& where) {
    if (read_affinity(before_) != 0) {
      before_.clear();
      return;
    }
    std::vector<unsigned long> all(before_.size());
    for (const pu& one : where.pus()) {
      const auto bit = static_cast<std::size_t>(number_of(one.os));
      if (bit / bits_per_word < all.size()) all[bit / bits_per_word] |= 1UL << bit % bits_per_word;
    }
    (void)restore_affinity(all);
  }
  ~unbound_meanwhile() {
    if (!before_.empty()) (void)restore_affinity(before_);
  }
  unbound_meanwhile(const unbound_meanwhile&) = delete;
  unbound_meanwhile& operator=(const unbound_meanwhile&) = delete;

 private:
  std::vector<unsigned long> before_;  // empty: it is not known
};

}  // namespace

crew& scheduler::make_relief() {
  const no_fork_meanwhile until_started;
  const unbound_meanwhile threads(*machine_);
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
  const std::string workers = "all " + std::to_string(crew_.worker_count()) + " workers";
  const std::uint64_t by_busy = relief_.given_by_busy();
  if (const std::uint64_t by_blocked = relief_.given() - by_busy; by_blocked != 0)
    into.degradations.push_back(
        {.what = "calls from outside were run by further threads",
         .where = std::to_string(by_blocked) + (by_blocked == 1 ? " call or task" : " calls and tasks"),
         .why = "the system had " + workers + " blocked, in locks, files or waits for threads",
         .remedy =
             "let tasks wait for futures, events or groups of nearfork, or give what blocks a thread of its own"});
  if (by_busy != 0)
    into.degradations.push_back(
        {.what = "calls from outside were run by further threads",
         .where = std::to_string(by_busy) + (by_busy == 1 ? " call" : " calls"),
         .why = workers + " had work of other calls",
         .remedy = "nothing, if short calls are not to wait for long ones; else call from one thread"});
}

}  // namespace nearfork
