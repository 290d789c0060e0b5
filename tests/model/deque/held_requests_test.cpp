// [D7] of deque.hpp: pushes that leave requests unanswered.
#include <gtest/gtest.h>

#include "model/deque/deque_board.hpp"
#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;
using model::explored;

TEST(held_requests_model, each_job_is_taken_once) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      s->push_privately(0);
      s->push_privately(1);
      model::join_all(*s, 2);
    });
    made.thread([=] { s->steal_by_force(); });
    made.finally([=] { s->each_was_taken_once(2); });
  }));
}

/// A canceller's request, for example: what a push leaves unanswered, the next one sees.
TEST(held_requests_model, the_next_push_is_slow) {
  expect_holds(explored([](model::program& made, const auto& s) {
    s->deque.owner_raise_limit();
    made.thread([=] {
      s->push_privately(0);
      s->push_privately(1);
    });
    made.thread([=] { s->deque.request_look(); });
    made.finally([=] { model::require(s->deque.requested(), "the request is not lost"); });
  }));
}

/// What is left unanswered is in sight of force.
TEST(held_requests_model, force_finds_the_job) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      s->deque.request();
      s->push_privately(0);
      model::require(s->deque.looks_empty(), "the push shares nothing");
      s->steal_by_force();
      model::require(s->takes[0] == 1, "the job is there to be taken");
    });
    made.thread([] {});
  }));
}

}  // namespace
