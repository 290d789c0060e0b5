// The real parking lot and the real protocol of an idle worker, beside publishers that do what fork_slow.cpp and
// crew.cpp do. No worker stays asleep while there is work.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "model/expect_holds.hpp"
#include "runtime/protocols/idle_protocol.hpp"
#include "runtime/protocols/sleeping_on.hpp"

namespace {

using namespace nearfork;
using detail::seam::memory_order_acq_rel;
using detail::seam::memory_order_acquire;
using detail::seam::memory_order_relaxed;
using detail::seam::memory_order_release;
using model::expect_holds;

/// Pieces of work that any worker may take, and a stop flag: the sources that a sleeper looks at. `Guarded`: no worker
/// may take a piece while the domain is busy. `SleepOn`: workers may sleep on beside what is shared [K1].
template <bool Guarded, bool SleepOn = false>
struct basic_yard {
  explicit basic_yard(std::uint32_t workers, std::uint32_t searching = 1) : lot(workers, searching) {}

  parking_lot lot;
  sleeping_on sleepers;
  detail::seam::atomic<std::uint32_t> work{0};
  detail::seam::atomic<std::uint32_t> stop{0};
  detail::seam::atomic<std::uint32_t> working{0};        // workers of the domain that have work: [P7]
  detail::seam::atomic<std::uint32_t> limit_cleared{0};  // the limit of the owner's deque: [P2]
  std::uint32_t done = 0;                                // pieces; one model thread runs at a time
  bool wakes_more = false;                               // woken workers wake others; no proof may lean on that

  [[nodiscard]] bool open() const {
    if constexpr (Guarded) return working.load(memory_order_relaxed) == 0;
    else return true;
  }
  bool take() {
    if (!open()) return false;
    auto left = work.load(memory_order_relaxed);
    while (left > 0)
      if (work.compare_exchange_strong(left, left - 1, memory_order_acq_rel, memory_order_relaxed)) return true;
    return false;
  }
  [[nodiscard]] bool in_sight() const { return open() && work.load(memory_order_relaxed) > 0; }

  [[nodiscard]] bool keeps_asleep() const {
    if constexpr (SleepOn) return sleepers.holds(lot);
    else return false;
  }
  void notify_one() {
    if (!keeps_asleep()) wake_one();
  }
  void wake_one() {
    for (std::uint32_t i = 0; i < lot.workers(); ++i)
      if (lot.notify(i)) return;
  }
  /// push_slow(), inject(), push_to_pool(): publish, then look.
  void publish(std::uint32_t pieces) {
    work.fetch_add(pieces, memory_order_relaxed);
    if (lot.should_notify()) notify_one();
  }
  /// end_work() of a domain's last worker: count out, look, wake the head even if another worker is searching.
  void run_dry() {
    if (working.fetch_sub(1, memory_order_relaxed) != 1) return;
    (void)lot.should_notify();
    lot.notify(0);
  }
  void end() {
    stop.store(1, memory_order_relaxed);
    (void)lot.should_notify();
    for (std::uint32_t i = 0; i < lot.workers(); ++i) lot.notify(i);
  }

  /// What nearfork::idle() asks of a worker. Here a search is one look.
  struct place {
    basic_yard& in;
    std::uint32_t self;
    bool search() { return in.take(); }
    void ask_everyone() { in.limit_cleared.store(1, memory_order_relaxed); }
    [[nodiscard]] bool stopping() const { return in.stop.load(memory_order_relaxed) == 1; }
    [[nodiscard]] bool work_in_sight() const { return in.in_sight(); }
    [[nodiscard]] bool more_in_sight() const { return in.wakes_more && in.in_sight(); }
    void park() { in.lot.park(self); }
    void notify_one() { in.notify_one(); }
    [[nodiscard]] bool may_sleep_on() const { return in.keeps_asleep(); }
    [[nodiscard]] bool must_watch() const { return false; }
    [[nodiscard]] bool any_worker_will_do() const { return !Guarded; }
  };
  /// Returns false if stopped.
  bool idle(std::uint32_t self) {
    place here{*this, self};
    return nearfork::idle(here, lot, self);
  }
  /// A deputy in the place of worker `self`, if that worker is parked, or was woken and is not up yet.
  template <class Visit>
  bool visit(std::uint32_t self, const Visit& meanwhile) {
    if (lot.try_borrow(self)) (void)lot.count_borrowed();
    else if (!lot.try_relieve(self)) return false;
    else if (lot.found_work()) notify_one();
    meanwhile();
    place here{*this, self};
    leave_place(here, lot, self);
    return true;
  }
  void work_until_stopped(std::uint32_t self) {
    while (idle(self)) ++done;
  }
};

using yard = basic_yard<false>;

/// A worker that idles until it finds a piece, or is stopped.
template <class Yard>
auto takes_one(std::shared_ptr<Yard> s, std::uint32_t worker) {
  return [s, worker] {
    if (s->idle(worker)) ++s->done;
  };
}

template <class Yard>
auto publishes_twice(std::shared_ptr<Yard> s) {
  return [s] {
    s->publish(1);
    s->publish(1);
  };
}

template <class Yard>
void nothing_is_left(const Yard& in, std::uint32_t pieces) {
  model::require(in.done == pieces, "each piece was worked on once");
  const idle_counts counts = in.lot.approx_counts();
  model::require(counts.searching() == 0 && counts.sleeping() == 0, "everybody was counted out");
}

TEST(parking_model, one_sleeper_gets_what_is_published) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(1U);
        made.thread(takes_one(s, 0));
        made.thread([=] { s->publish(1); });
        made.finally([=] { nothing_is_left(*s, 1); });
      },
      {.preemptions = 4}));
}

TEST(parking_model, two_sleepers_get_two_pieces_published_apart) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(2U);
        made.thread(takes_one(s, 0));
        made.thread(takes_one(s, 1));
        made.thread(publishes_twice(s));
        made.finally([=] { nothing_is_left(*s, 2); });
      },
      {.preemptions = 2}));
}

/// Two sleepers, and two pieces published at once. `wakes_more`: the first to wake may wake the other besides.
model::outcome two_sleepers_get_two_pieces_at_once(bool wakes_more) {
  return model::explore(
      [=](model::program& made) {
        auto s = std::make_shared<yard>(2U);
        s->wakes_more = wakes_more;
        made.thread(takes_one(s, 0));
        made.thread(takes_one(s, 1));
        made.thread([=] { s->publish(2); });
        made.finally([=] { nothing_is_left(*s, 2); });
      },
      {.preemptions = 2});
}

TEST(parking_model, the_last_searcher_hands_its_duty_on) {
  expect_holds(two_sleepers_get_two_pieces_at_once(false));
}

TEST(parking_model, a_woken_worker_may_wake_another_besides) {
  expect_holds(two_sleepers_get_two_pieces_at_once(true));
}

/// A domain's head sleeps beside work that it must not take until the other workers of its domain have run dry.
TEST(parking_model, the_head_wakes_when_its_domain_runs_dry) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<basic_yard<true>>(1U);
        s->working.store(2, memory_order_relaxed);
        s->work.store(1, memory_order_relaxed);
        made.thread(takes_one(s, 0));
        made.thread([=] { s->run_dry(); });
        made.thread([=] { s->run_dry(); });
        made.finally([=] { nothing_is_left(*s, 1); });
      },
      {.preemptions = 3}));
}

TEST(parking_model, stopping_wakes_everybody) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(2U);
        made.thread([=] { s->work_until_stopped(0); });
        made.thread([=] { s->work_until_stopped(1); });
        made.thread([=] { s->end(); });
        made.finally([=] { nothing_is_left(*s, 0); });
      },
      {.preemptions = 2}));
}

/// A sleeper's request survives an owner that raises its limit at the same time: raise, publish, look (fork_slow.cpp).
TEST(parking_model, a_wish_for_work_is_answered_or_stays) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(1U);
        made.thread(takes_one(s, 0));
        made.thread([=] {
          // Two forks: each publishes if its push was slow. The last join publishes nothing. So a request that was lost
          // between the forks would leave the sleeper asleep beside private work.
          for (int fork = 0; fork < 2; ++fork)
            if (s->limit_cleared.load(memory_order_relaxed) == 1) {
              s->limit_cleared.store(0, memory_order_relaxed);
              s->publish(1);
            }
          s->publish(1);  // the end of the program: a root, which ends the sleeper's wait
        });
        made.finally([=] { model::require(s->done == 1, "the sleeper got work"); });
      },
      {.preemptions = 3}));
}

/// A notifier and a sleeper that changes its mind: exactly one of the two moves the counts.
TEST(parking_model, notified_while_staying_awake_counts_once) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(1U);
        made.thread([=] {
          (void)s->lot.try_search();
          s->lot.get_sleepy(0, parking_lot::from::searching);
          s->lot.stay_awake(0);
          (void)s->lot.found_work();
        });
        made.thread([=] { s->lot.notify(0); });
        made.thread([=] { s->lot.notify(0); });
        made.finally([=] { nothing_is_left(*s, 0); });
      },
      {.preemptions = 4}));
}

TEST(parking_model, a_worker_that_was_notified_can_sleep_again) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(1U);
        made.thread([=] {
          for (int piece = 0; piece < 2; ++piece)
            if (s->idle(0)) ++s->done;
        });
        made.thread(publishes_twice(s));
        made.finally([=] { nothing_is_left(*s, 2); });
      },
      {.preemptions = 3}));
}

// --- deputies: threads from outside in the places of workers that are parked ---

TEST(parking_model, a_deputy_gives_back_a_place_that_is_needed) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(1U);
        made.thread(takes_one(s, 0));
        made.thread([=] { (void)s->visit(0, [] {}); });
        made.thread([=] { s->publish(1); });
        made.finally([=] { nothing_is_left(*s, 1); });
      },
      {.preemptions = 3}));
}

/// [P10]: the worker was woken for the piece, and sleeps on beside it.
TEST(parking_model, a_deputy_in_the_stead_of_a_woken_worker_leaves_it_the_work) {
  auto relieved = std::make_shared<int>(0);
  expect_holds(model::explore(
      [relieved](model::program& made) {
        auto s = std::make_shared<yard>(1U);
        made.thread(takes_one(s, 0));
        made.thread([=] {
          s->publish(1);
          if (!s->lot.try_relieve(0)) return;
          ++*relieved;
          if (s->lot.found_work()) s->notify_one();
          yard::place here{*s, 0};
          leave_place(here, s->lot, 0);
        });
        made.finally([=] { nothing_is_left(*s, 1); });
      },
      {.preemptions = 4}));
  EXPECT_GT(*relieved, 0) << "no schedule had a woken worker that was not up yet";
}

/// [P9]: the deputy relies on a searcher, which finds one of two pieces and passes its duty on.
TEST(parking_model, a_deputy_leaves_its_work_to_others) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<yard>(2U);
        made.thread(takes_one(s, 0));
        made.thread(takes_one(s, 1));
        made.thread([=] {
          const auto two_pieces = [&] { s->publish(2); };
          if (!s->visit(0, two_pieces)) two_pieces();
        });
        made.finally([=] { nothing_is_left(*s, 2); });
      },
      {.preemptions = 1}));
}

/// [K1]: a thread outside spawns, and a worker sleeps on, also where the other one passes its duty on [P5].
TEST(parking_model, who_slept_on_is_woken_for_what_was_shared) {
  struct spawners_yard : basic_yard<false, true> {
    spawners_yard() : basic_yard(2U) { sleepers.begin(); }
    void ask_everyone() { limit_cleared.store(1, memory_order_relaxed); }
    [[nodiscard]] bool has_shared_work() const { return in_sight(); }
    void end() {
      sleepers.end();
      wake_who_slept_on(lot, *this);
    }
  };
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<spawners_yard>();
        made.thread(takes_one(s, 0));
        made.thread(takes_one(s, 1));
        made.thread([=] {
          s->publish(1);
          s->publish(1);
          s->end();
        });
        made.finally([=] { model::require(s->done == 2, "each piece was worked on once"); });
      },
      {.preemptions = 2}));
}

/// [P8]: a deputy that is not asked shares nothing. A worker that sleeps beside its private work has asked.
TEST(parking_model, a_deputy_is_asked_by_those_that_sleep) {
  struct deputys_yard : yard {
    deputys_yard() : yard(2U) {}
    detail::seam::atomic<std::uint32_t> deputy_is_present{0};
    bool shared = false;
    bool slept = false;
  };
  struct place : yard::place {
    deputys_yard& around;
    place(deputys_yard& its, std::uint32_t worker) : yard::place{its, worker}, around(its) {}
    void ask_everyone() const {
      if (around.deputy_is_present.load(memory_order_acquire) == 1) yard::place(*this).ask_everyone();
    }
    void park() {
      around.slept = true;
      yard::place::park();
    }
  };
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<deputys_yard>();
        s->lot.get_sleepy(0, parking_lot::from::active);
        s->lot.give_back_asleep(0);  // parked
        made.thread([=] {
          place here(*s, 1);
          if (nearfork::idle(here, s->lot, 1)) ++s->done;
        });
        made.thread([=] {
          if (!s->lot.try_borrow(0)) return s->publish(1);  // notified by the other one
          s->deputy_is_present.store(1, memory_order_release);
          if (!s->lot.count_borrowed()) s->limit_cleared.store(1, memory_order_relaxed);
          s->shared = s->limit_cleared.load(memory_order_relaxed) == 1;  // a fork
          s->publish(1);                                                 // the end of the program
        });
        made.finally([=] {
          const bool asked = s->shared || s->limit_cleared.load(memory_order_relaxed) == 1;
          model::require(asked || !s->slept, "a worker that sleeps has asked the deputy");
        });
      },
      {.preemptions = 3}));
}

}  // namespace
