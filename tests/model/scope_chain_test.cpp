// The real chain of scopes: a thief finds the scope around its job, and reads no scope that the owner may have closed.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "nearfork/detail/deque.hpp"
#include "nearfork/detail/job.hpp"
#include "nearfork/detail/scope_chain.hpp"

namespace {

using namespace nearfork;
using detail::job;
using detail::scope_link;
using detail::slot;
using model::expect_holds;

void never_ends(job&) {}

struct fiber_with_scopes {
  detail::basic_deque<4> deque;
  job jobs[2] = {job(detail::kind_of<&never_ends>), job(detail::kind_of<&never_ends>)};
  scope_link base, around, inside;

  void fork(std::size_t id) {
    slot* const head = deque.owner_head();
    (void)deque.owner_offer(head, &jobs[id]);
    deque.owner_set_head(head + 1);
    deque.owner_publish();
  }
  [[nodiscard]] detail::slot_address head() const { return detail::address_of(deque.owner_head()); }

  void steal_and_expect(scope_link& scope) {
    const detail::steal_result taken = deque.steal();
    if (taken.outcome != detail::steal_outcome::stolen) return;
    model::require(base.innermost_around(detail::address_of(deque.position_of(taken.index))) == &scope,
                   "a job belongs to the scope around its fork");
  }
};

/// [C1], [C2]: a scope that the owner opens and closes above the job is not around the job.
TEST(scope_chain_model, a_thief_stops_before_scopes_above_its_job) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<fiber_with_scopes>();
        made.thread([=] {
          s->base.owner_open(s->around, s->head());
          s->fork(0);
          s->around.owner_open(s->inside, s->head());
          s->around.owner_close_inner();
        });
        made.thread([=] { s->steal_and_expect(s->around); });
      },
      {.preemptions = 4}));
}

/// [C3]: a closed scope is not around a job that is forked later in the same slot.
TEST(scope_chain_model, a_closed_scope_is_left) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<fiber_with_scopes>();
        made.thread([=] {
          s->base.owner_open(s->around, s->head());
          s->base.owner_close_inner();
          s->fork(0);
        });
        made.thread([=] { s->steal_and_expect(s->base); });
      },
      {.preemptions = 4}));
}

}  // namespace
