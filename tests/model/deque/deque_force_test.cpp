// Thieves that take private jobs of the real split deque by force, [D6] of deque.hpp: every job is taken exactly once.
#include <gtest/gtest.h>

#include <memory>

#include "model/deque/deque_board.hpp"
#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using detail::slot;
using model::board;
using model::expect_holds;
using model::explored;
using model::join_all;
using model::join_one;

TEST(deque_force_model, against_joining) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      s->push(0);
      s->push(1);
      join_all(*s, 2);
    });
    made.thread([=] { s->steal_by_force(); });
    made.finally([=] { s->each_was_taken_once(2); });
  }));
}

TEST(deque_force_model, against_force_and_stealing) {
  expect_holds(explored(
      [](model::program& made, const auto& s) {
        made.thread([=] {
          s->push(0);
          s->push(1);
          join_all(*s, 2);
        });
        made.thread([=] { s->steal_by_force(); });
        made.thread([=] { s->steal_by_force(); });
        made.finally([=] { s->each_was_taken_once(2); });
      },
      2));
}

TEST(deque_force_model, against_an_owner_that_answers) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->push(0);
      s->push(1);
      s->deque.owner_publish();
      s->push(2);
      join_all(*s, 3);
    });
    made.thread([=] {
      s->steal_by_force();
      s->steal_once();
    });
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

TEST(deque_force_model, against_joining_and_pushing_again) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->push(0);
      s->push(1);
      join_one(*s, 1, 1);
      s->push(2);
      join_one(*s, 1, 2);
      join_one(*s, 0, 0);
    });
    made.thread([=] { s->steal_by_force(); });
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

/// A job that the owner pushes while an exception is in flight stays the owner's.
model::outcome force_against_an_owner_that_unwinds(int thieves, unsigned preemptions) {
  const auto force = [](board& s) {
    s.deque.request();
    const auto seen = s.deque.unanswered();
    const auto may_share = [&] { return s.pushed.load(detail::seam::memory_order_relaxed) == 0; };
    if (seen && detail::seam::heavy_fence()) (void)s.deque.open_by_force(*seen, may_share);
    s.steal_once();
    s.steal_once();
  };
  return explored(
      [=](model::program& made, const auto& s) {
        made.thread([=] {
          s->push(0);
          s->pushed.store(1, detail::seam::memory_order_relaxed);  // in flight
          s->push(1);
          slot* const position = s->deque.owner_bottom() + 1;
          const bool ours = s->deque.owner_pop(position) || s->deque.owner_take_back_alone(position);
          model::require(ours, "the job of a destructor is the owner's");
          s->took(&s->jobs[1]);
          s->pushed.store(0, detail::seam::memory_order_relaxed);
          join_one(*s, 0, 0);
        });
        for (int i = 0; i < thieves; ++i) made.thread([=] { force(*s); });
        made.finally([=] { s->each_was_taken_once(2); });
      },
      preemptions);
}
TEST(deque_force_model, takes_no_job_of_a_destructor) {
  expect_holds(force_against_an_owner_that_unwinds(1, 3));
  expect_holds(force_against_an_owner_that_unwinds(2, 2));
}

/// What force is for: an owner that does nothing more keeps no job to itself.
TEST(deque_force_model, finds_what_a_busy_owner_has) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->push(0);
      s->pushed.store(1, detail::seam::memory_order_relaxed);
    });
    made.thread([=] {
      if (s->pushed.load(detail::seam::memory_order_relaxed) == 0) return;
      s->deque.request();
      (void)detail::seam::heavy_fence();  // as before a worker sleeps: the pushed job is in sight
      const auto seen = s->deque.unanswered();
      model::require(seen.has_value(), "the private job is in sight");
      if (detail::seam::heavy_fence())
        model::require(s->deque.open_by_force(*seen, [] { return true; }), "nobody else could open it");
      s->steal_once();
      model::require(s->takes[0] == 1, "the job is taken though its owner does nothing");
    });
  }));
}

}  // namespace
