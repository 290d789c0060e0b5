#include "runtime/forks/given_jobs.hpp"

#include <chrono>
#include <thread>

#include <nearfork/detail/scheduler.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/forks/publication.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

namespace {

/// In a fork()'s child, which has no worker that could go on meanwhile: a runtime of the child's own does the work.
void nap_until_done(const job& waited) noexcept {
  constexpr std::chrono::microseconds nap{50};
  while (!waited.done()) std::this_thread::sleep_for(nap);
}

}  // namespace

void give_away_jobs(fiber& self) noexcept {
  deque& jobs = self.jobs;
  slot* const head = jobs.owner_head();
  if (head > jobs.owner_bottom() && jobs.owner_has_private(head - 1)) {
    note_sharing(self);
    jobs.owner_publish_all();
  }
  worker& me = *self.runner;
  for (;;) {
    const steal_result result = jobs.steal();
    if (result.outcome == steal_outcome::empty) return;
    if (result.outcome == steal_outcome::contended) continue;
    me.home.hand_on_in_domain_of(me, {.start = result.taken, .stolen_from = {&self, result.index}});
  }
}

void wait_for_outside(fiber& self, job& waited) noexcept {
  if (waited.done()) return sanitizers::take_over(&waited);
  if (!self.runner->home.is_of_this_process()) return nap_until_done(waited);
  give_away_jobs(self);
  crew& home = self.runner->home;  // the fiber stays in it
  home.begin_outside_wait();
  wait_for(self, waited);
  home.end_outside_wait();
}

}  // namespace nearfork::detail
