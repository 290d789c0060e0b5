// The real count of a group's tasks, beside a frame that waits and another thread that spawns.
#include <gtest/gtest.h>

#include <memory>

#include <nearfork/detail/tasks/tasks_elsewhere.hpp>

#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using detail::tasks_elsewhere;
using detail::seam::memory_order_acq_rel;
using detail::seam::memory_order_relaxed;
using model::expect_holds;

struct counted_group {
  tasks_elsewhere tasks;
  detail::seam::atomic<std::uint32_t> resumed{0};
  detail::seam::atomic<std::uint32_t> calls{0};  // as crew::begin_unwaited_call() counts them
  detail::seam::atomic<int> data[2]{0, 0};       // what the tasks write

  void spawn() {
    while (!tasks.try_join()) {
      calls.fetch_add(1, memory_order_relaxed);
      if (tasks.try_begin()) return;
      calls.fetch_sub(1, memory_order_relaxed);
    }
  }
  void run(int which) {
    data[which].store(1, memory_order_relaxed);
    ended(tasks.settle({.balance = -1}));
  }
  void ended(tasks_elsewhere::end how) {
    switch (how) {
      case tasks_elsewhere::end::of_some: break;
      case tasks_elsewhere::end::of_all: calls.fetch_sub(1, memory_order_relaxed); break;
      case tasks_elsewhere::end::of_waiting:
        model::require(resumed.fetch_add(1, memory_order_acq_rel) == 0, "the frame is resumed once");
        detail::seam::futex_wake_one(resumed);
        break;
    }
  }
  void sync() {
    if (!tasks.begin_wait()) return;
    while (resumed.load(detail::seam::memory_order_acquire) == 0) detail::seam::futex_wait(resumed, 0);
    calls.fetch_sub(1, memory_order_relaxed);
  }
};

/// [O1], [O2]
TEST(tasks_elsewhere_model, a_frame_that_waits_is_resumed_once_though_others_spawn) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<counted_group>();
        s->spawn();
        made.thread([=] {
          s->sync();
          model::require(s->data[0].load(memory_order_relaxed) == 1, "it sees what the task did");
        });
        made.thread([=] { s->run(0); });
        made.thread([=] {
          s->spawn();
          s->run(1);
        });
        made.finally([=] {
          model::require(!s->tasks.any(), "no task is left");
          model::require(s->calls.load(memory_order_relaxed) == 0, "no call is left");
        });
      },
      {.preemptions = 3}));
}

/// [O3]
TEST(tasks_elsewhere_model, tasks_that_others_spawn_are_one_call_while_there_are_any) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<counted_group>();
        for (int which = 0; which < 2; ++which)
          made.thread([=] {
            s->spawn();
            model::require(s->calls.load(memory_order_relaxed) > 0, "the call is counted before the task runs");
            s->run(which);
          });
        made.finally([=] {
          model::require(!s->tasks.any(), "no task is left");
          model::require(s->calls.load(memory_order_relaxed) == 0, "no call is left");
        });
      },
      {.preemptions = 4}));
}

/// [O4]
TEST(tasks_elsewhere_model, stolen_tasks_have_ended_when_they_are_added_as_such) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<counted_group>();
        made.thread([=] {
          if (!s->tasks.try_add_ended(2)) s->tasks.add(2);
          else
            for (const auto& one : s->data)
              model::require(one.load(memory_order_relaxed) == 1, "it sees what the tasks did");
        });
        for (int which = 0; which < 2; ++which)
          made.thread([=] {
            s->data[which].store(1, memory_order_relaxed);
            (void)s->tasks.settle({.balance = -1});
          });
        made.finally([=] { model::require(!s->tasks.any(), "no task is left"); });
      },
      {.preemptions = 4}));
}

/// [O5]
TEST(tasks_elsewhere_model, what_a_task_spawns_on_account_is_waited_for_whoever_runs_it) {
  struct group_with_account : counted_group {
    detail::seam::atomic<bool> spawned{false};  // and nobody has taken it
    bool takes() { return spawned.exchange(false, memory_order_acq_rel); }
  };
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<group_with_account>();
        s->spawn();
        made.thread([=] {
          s->sync();
          for (const auto& one : s->data)
            model::require(one.load(memory_order_relaxed) == 1, "it sees what both tasks did");
        });
        made.thread([=] {
          s->tasks.open_account();
          s->spawned.store(true, detail::seam::memory_order_release);
          s->data[0].store(1, memory_order_relaxed);
          detail::group_account kept{.balance = 0, .is_open = true};  // one spawned, one ended
          if (s->takes()) {
            s->data[1].store(1, memory_order_relaxed);
            --kept.balance;
          }
          s->ended(s->tasks.settle(kept));
        });
        made.thread([=] {
          if (s->takes()) s->run(1);
        });
        made.finally([=] {
          model::require(!s->tasks.any(), "no task is left");
          model::require(s->calls.load(memory_order_relaxed) == 0, "no call is left");
        });
      },
      {.preemptions = 3}));
}

}  // namespace
