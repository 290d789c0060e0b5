// The real split deque: every job is taken exactly once, by its address, whatever thieves and owner do.
#include <gtest/gtest.h>

#include <memory>

#include "model/deque/deque_board.hpp"
#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using detail::slot;
using model::add_thief;
using model::board;
using model::expect_holds;
using model::explored;
using model::join_all;
using model::join_one;
using model::marked_job;

TEST(deque_model, last_task_goes_to_owner_or_thief) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->push(0);
      s->deque.owner_publish();
      join_all(*s, 1);
    });
    add_thief(made, s, 1);
    add_thief(made, s, 1);
    made.finally([=] { s->each_was_taken_once(1); });
  }));
}

TEST(deque_model, publishing_against_stealing) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->push(0);
      s->deque.owner_publish();
      s->push(1);
      s->push(2);
      s->deque.owner_publish();
      join_all(*s, 3);
    });
    add_thief(made, s, 2);
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

TEST(deque_model, taking_back_against_stealing) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      for (std::size_t i = 0; i < 3; ++i) s->push(i);
      s->deque.owner_publish_all();
      join_all(*s, 3);
    });
    add_thief(made, s, 2);
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

/// [D8] Two groups may have found the same slot stolen, one after the other.
TEST(deque_model, what_was_found_stolen_is_found_stolen_again) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      for (std::size_t i = 0; i < 2; ++i) s->push(i);
      s->deque.owner_publish_all();
      slot* const youngest = s->deque.owner_bottom() + 1;
      if (s->join(youngest, 1)) return join_one(*s, 0, 0);
      s->deque.owner_set_head(youngest + 1);
      model::require(!s->join(youngest, 1), "it is stolen for good");
    });
    add_thief(made, s, 2);
    add_thief(made, s, 1);
    made.finally([=] { s->each_was_taken_once(2); });
  }));
}

TEST(deque_model, taking_back_alone_against_stealing) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      for (std::size_t i = 0; i < 3; ++i) s->push(i);
      s->deque.owner_publish_all();
      for (std::size_t i = 3; i-- > 1;) {
        slot* const position = s->deque.owner_bottom() + i;
        if (s->deque.owner_pop(position) || s->deque.owner_take_back_alone(position)) s->took(&s->jobs[i]);
        else
          while (!s->jobs[i].done()) detail::seam::pause();
      }
      join_one(*s, 0, 0);
    });
    add_thief(made, s, 2);
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

TEST(deque_model, a_slot_is_used_again_after_its_stolen_job_is_done) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->push(0);
      s->deque.owner_publish();
      join_all(*s, 1);
      // Another fork, in the same slot.
      s->jobs[1].contents = 1;
      slot* const head = s->deque.owner_head();
      (void)s->deque.owner_offer(head, &s->jobs[1]);
      s->deque.owner_set_head(head + 1);
      s->deque.owner_publish();
      if (!s->join(head, 1)) {
        while (!s->jobs[1].done()) detail::seam::pause();
        s->deque.owner_forget(head);
      }
    });
    add_thief(made, s, 2);
    made.finally([=] { s->each_was_taken_once(2); });
  }));
}

/// A job that nobody waits for: its slot is free as soon as the owner knows that it is stolen.
TEST(deque_model, a_slot_is_used_again_while_its_thief_is_slow) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      slot* const bottom = s->deque.owner_bottom();
      for (std::size_t i = 0; i < 3; ++i) {
        s->push(i);
        s->deque.owner_publish();
        if (!s->join(bottom, i)) s->deque.owner_forget(bottom);
      }
    });
    add_thief(made, s, 2);
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

TEST(deque_model, a_request_is_seen_or_its_job_is_private_still) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      for (std::size_t i = 0; i < 2; ++i) {
        s->jobs[i].contents = 1;
        slot* const head = s->deque.owner_head();
        const bool fast = s->deque.owner_offer(head, &s->jobs[i]);
        s->deque.owner_set_head(head + 1);
        if (!fast) {
          s->deque.owner_raise_limit();
          s->deque.owner_publish();
        }
      }
      join_all(*s, 2);
    });
    made.thread([=] {
      s->deque.request();
      s->steal_once();
    });
    made.finally([=] { s->each_was_taken_once(2); });
  }));
}

/// Every push is slow: a push that finds a request shares its jobs, the other pushes keep theirs private.
TEST(deque_model, with_a_closed_limit_a_request_is_seen_or_its_job_is_private_still) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_close_limit();
      for (std::size_t i = 0; i < 2; ++i) {
        s->jobs[i].contents = 1;
        slot* const head = s->deque.owner_head();
        model::require(!s->deque.owner_offer(head, &s->jobs[i]), "a push is slow");
        s->deque.owner_set_head(head + 1);
        if (s->deque.requested()) {
          s->deque.owner_close_limit();
          s->deque.owner_publish();
        }
      }
      join_all(*s, 2);
    });
    made.thread([=] {
      s->deque.request();
      s->steal_once();
    });
    made.finally([=] { s->each_was_taken_once(2); });
  }));
}

/// A thief that asks while jobs are private gets a job at the owner's next join, not only at the owner's next push.
TEST(deque_model, a_join_answers_a_request) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      for (std::size_t i = 0; i < 3; ++i) s->push(i);
      join_all(*s, 3);
    });
    made.thread([=] {
      s->deque.request();
      s->steal_once();
    });
    add_thief(made, s, 1);
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

/// The same without a race: request, join, steal.
TEST(deque_model, a_join_after_a_request_shares) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      for (std::size_t i = 0; i < 3; ++i) s->push(i);
      s->deque.request();
      model::require(s->deque.looks_empty(), "nothing was shared before");
      model::require(s->join(s->deque.owner_bottom() + 2, 2), "it is the owner's");
      model::require(!s->deque.looks_empty(), "the join shared the older half");
      s->steal_once();
      model::require(s->takes[0] == 1, "the oldest was there to be taken");
      join_all(*s, 2);
    });
    made.thread([=] {});
    made.finally([=] { s->each_was_taken_once(3); });
  }));
}

/// Of two jobs the owner takes the younger, and nobody need take the other by force.
TEST(deque_model, a_join_after_a_request_shares_the_only_other_job) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      s->push(0);
      s->push(1);
      s->deque.request();
      model::require(s->join(s->deque.owner_bottom() + 1, 1), "it is the owner's");
      s->steal_once();
      model::require(s->takes[0] == 1, "the other one is there to be taken");
    });
    made.thread([] {});
  }));
}

/// [D5] The owner's look sees a cancellation, or the canceller's request outlasts the limit that the owner raised.
TEST(deque_model, a_cancellation_is_seen_now_or_at_the_next_push) {
  expect_holds(explored([](model::program& made, const auto& s) {
    struct look {
      detail::seam::atomic<std::uint32_t> cancelled{0};
      bool seen = false;
    };
    const auto more = std::make_shared<look>();
    made.thread([=] {
      slot* const head = s->deque.owner_head();
      s->jobs[0].contents = 1;
      (void)s->deque.owner_offer(head, &s->jobs[0]);
      s->deque.owner_set_head(head + 1);
      s->deque.owner_raise_limit();
      s->deque.owner_publish();
      more->seen = more->cancelled.load(detail::seam::memory_order_relaxed) != 0;
    });
    made.thread([=] {
      more->cancelled.store(1, detail::seam::memory_order_relaxed);
      s->deque.request_look();
    });
    made.finally([=] { model::require(more->seen || s->deque.requested(), "the cancellation is not lost"); });
  }));
}

TEST(deque_model, a_full_deque_says_so) {
  expect_holds(explored([](model::program& made, const auto& s) {
    made.thread([=] {
      s->deque.owner_raise_limit();
      for (std::size_t i = 0; i < 4; ++i) s->push(i);
      model::require(s->deque.owner_full(s->deque.owner_head()), "four jobs fill it");
      marked_job one_more;
      model::require(!s->deque.owner_offer(s->deque.owner_head(), &one_more), "a fifth is refused");
      s->deque.owner_publish();
      join_all(*s, 4);
    });
    add_thief(made, s, 1);
    made.finally([=] { s->each_was_taken_once(4); });
  }));
}

}  // namespace
