// Lanes of threads outside ([L1] of outside_lanes.hpp) beside workers that sleep: the real lanes, the real steps of
// their owner, the real parking lot.
#include <gtest/gtest.h>

#include <memory>

#include "model/deque/deque_board.hpp"
#include "model/expect_holds.hpp"
#include "runtime/protocols/idle_protocol.hpp"
#include "runtime/protocols/lane_owner.hpp"
#include "runtime/protocols/outside_lanes.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

struct small_lane {
  model::small_deque jobs;
  detail::seam::atomic<bool> taken{false};
  detail::seam::atomic<bool> hidden{false};
  detail::seam::atomic<std::uint32_t> uses{0};
};

small_lane* claimed(outside_lanes<small_lane>& from, bool hidden = false) {
  return from.claim([=](const small_lane&) { return hidden; });
}

struct port {
  parking_lot lot{1, 1};
  outside_lanes<small_lane> lanes;
  std::array<model::marked_job, 4> jobs;
  std::array<int, 4> takes{};
  bool holds_back = false;

  void took(job* which) {
    auto* const mine = static_cast<model::marked_job*>(which);
    model::require(mine->contents == 1, "a taken job is whole");
    ++takes[static_cast<std::size_t>(mine - jobs.data())];
  }
  /// A thief that asks, and takes by force what is left unanswered.
  bool steal() {
    job* found = nullptr;
    (void)lanes.any_of([&](small_lane& one) {
      auto result = one.jobs.steal();
      if (result.outcome == detail::steal_outcome::empty) {
        one.jobs.request();
        const auto seen = one.jobs.unanswered();
        if (seen && detail::seam::heavy_fence() && one.jobs.open_by_force(*seen, [] { return true; }))
          result = one.jobs.steal();
      }
      if (result.outcome == detail::steal_outcome::stolen) found = result.taken;
      return found != nullptr;
    });
    if (found != nullptr) took(found);
    return found != nullptr;
  }
};

/// What nearfork::idle() asks of a worker.
struct worker_place {
  port& in;
  bool search() { return in.steal(); }
  void ask_everyone() {
    (void)in.lanes.any_of([](small_lane& one) {
      one.jobs.request();
      return false;
    });
    (void)detail::seam::heavy_fence();
  }
  [[nodiscard]] bool stopping() const { return false; }
  [[nodiscard]] bool work_in_sight() const {
    return in.lanes.any_of(
        [](const small_lane& one) { return !one.jobs.looks_empty() || one.jobs.unanswered().has_value(); });
  }
  [[nodiscard]] bool more_in_sight() const { return false; }
  void park() { in.lot.park(0); }
  void notify_one() {}
};

/// What the owner of a lane does around its steps.
struct owner_place {
  port& in;
  [[nodiscard]] parking_lot& lot() const { return in.lot; }
  void notify_one() const { in.lot.notify(0); }
  [[nodiscard]] bool holds_back() const { return in.holds_back; }
  void before_push() const {}
  void before_share() const {}
  void after_share() const {}
};

void push(port& in, small_lane& own, std::size_t id) {
  in.jobs[id].contents = 1;
  owner_place around{in};
  model::require(nearfork::push_in_lane(own.jobs, &in.jobs[id], around), "there is room");
}

/// The lane was in use before, and its limit is raised.
void use_before(port& in) {
  small_lane* const own = claimed(in.lanes);
  owner_place around{in};
  push(in, *own, 3);
  in.took(nearfork::pop_from_lane(own->jobs, around));
  in.lanes.give_back(*own);
}

/// The spawner pushes one job, and then waits for what the job does, without a word to the runtime.
model::outcome one_push(bool holds_back) {
  return model::explore(
      [holds_back](model::program& made) {
        auto s = std::make_shared<port>();
        use_before(*s);
        s->holds_back = holds_back;
        made.thread([=] {
          worker_place here{*s};
          (void)nearfork::idle(here, s->lot, 0);
        });
        made.thread([=] { push(*s, *claimed(s->lanes), 0); });
        made.finally([=] { model::require(s->takes[0] == 1, "the job was taken once"); });
      },
      {.preemptions = 1});
}

TEST(outside_lanes_model, a_worker_that_sleeps_is_woken_for_the_first_push) {
  expect_holds(one_push(false));
}

TEST(outside_lanes_model, a_job_that_is_held_back_is_in_sight) {
  expect_holds(one_push(true));
}

/// The owner waits for what the job does, and somebody else shows its lane, before the push or after.
TEST(outside_lanes_model, a_worker_that_sleeps_is_woken_for_a_lane_that_is_shown) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<port>();
        small_lane* const own = claimed(s->lanes, true);
        made.thread([=] {
          worker_place here{*s};
          (void)nearfork::idle(here, s->lot, 0);
        });
        made.thread([=] { push(*s, *own, 0); });
        made.thread([=] {
          if (s->lanes.show(*own) && s->lot.should_notify()) s->lot.notify(0);
        });
        made.finally([=] { model::require(s->takes[0] == 1, "the job was taken once"); });
      },
      {.preemptions = 1}));
}

/// By its owner, and by who looks after hidden lanes.
TEST(outside_lanes_model, a_lane_is_shown_once) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<port>();
        small_lane* const own = claimed(s->lanes, true);
        auto shown = std::make_shared<int>(0);
        const auto show = [=] {
          if (s->lanes.show(*own)) ++*shown;
        };
        made.thread(show);
        made.thread(show);
        made.finally([=] {
          model::require(*shown == 1, "one showed it");
          s->lanes.give_back(*own);
          model::require(!s->lanes.in_use(), "and it was counted once");
        });
      },
      {.preemptions = 3}));
}

/// The request for it stands, so a thief needs no patience, and the owner's next step answers.
TEST(outside_lanes_model, a_job_that_is_held_back_has_a_request) {
  expect_holds(model::explore([](model::program& made) {
    auto s = std::make_shared<port>();
    s->holds_back = true;
    made.thread([=] {
      small_lane& own = *claimed(s->lanes);
      push(*s, own, 0);
      model::require(own.jobs.unanswered().has_value(), "thieves can take the first job by force");
      push(*s, own, 1);
      owner_place around{*s};
      s->took(nearfork::pop_from_lane(own.jobs, around));
      model::require(!own.jobs.looks_empty(), "the owner's next step shares the other job");
      model::require(s->steal(), "and a thief gets it");
    });
    made.thread([] {});
    made.finally([=] { model::require(s->takes[0] == 1 && s->takes[1] == 1, "both were taken once"); });
  }));
}

/// Slots are used again once all jobs are stolen, and not because a thief shares by force what was private.
TEST(outside_lanes_model, no_job_is_lost_where_slots_are_used_again) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<port>();
        use_before(*s);
        small_lane& own = *claimed(s->lanes);
        push(*s, own, 0);
        (void)s->steal();
        made.thread([=, &own] {
          push(*s, own, 1);
          push(*s, own, 2);
          owner_place around{*s};
          while (job* const left = nearfork::pop_from_lane(own.jobs, around)) s->took(left);
        });
        made.thread([=] { (void)s->steal(); });
        made.finally([=] {
          for (std::size_t id = 0; id < 3; ++id) model::require(s->takes[id] == 1, "each job is taken once");
        });
      },
      {.preemptions = 2}));
}

/// Two threads never have the same lane, and one sees what the other has left.
TEST(outside_lanes_model, a_lane_has_one_owner_at_a_time) {
  struct uses {
    outside_lanes<small_lane> lanes;
    detail::seam::plain<int> of_first{0};
  };
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<uses>();
        small_lane* const first = claimed(s->lanes);
        s->lanes.give_back(*first);
        const auto use = [s, first] {
          small_lane* const own = claimed(s->lanes);
          if (own == first) s->of_first = s->of_first + 1;
          s->lanes.give_back(*own);
        };
        made.thread(use);
        made.thread(use);
      },
      {.preemptions = 3}));
}

}  // namespace
