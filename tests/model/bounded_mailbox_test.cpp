// The real mailbox of pushed tasks, with the real parking lot and idle protocol: senders, the owner, and workers that
// take its mail.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "model/expect_holds.hpp"
#include "runtime/protocols/bounded_mailbox.hpp"
#include "runtime/protocols/idle_protocol.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

struct task {
  detail::seam::plain<int> made{0};
  detail::seam::plain<int> runs{0};
};

/// Takes the task: what its sender wrote is seen, and nobody else has run it.
void run(task* one) {
  if (one == nullptr) return;
  model::require(one->made == 1, "the sender's work is seen");
  one->runs = one->runs + 1;
}
void make(task& one) {
  one.made = 1;
}

TEST(bounded_mailbox_model, each_task_is_taken_once_by_owner_thief_or_robber) {
  struct state {
    bounded_mailbox<task> box{2};
    std::array<task, 3> tasks;
    int refused = 0;  // by the sender alone
  };
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<state>();
        for (std::size_t i = 0; i < 2; ++i) {
          make(s->tasks[i]);
          model::require(s->box.try_push(s->tasks[i]), "there is room for two");
        }
        made.thread([=] { run(s->box.take_own()); });
        made.thread([=] {
          run(s->box.take_open());
          run(s->box.rob());
        });
        made.thread([=] {
          make(s->tasks[2]);
          if (!s->box.try_push(s->tasks[2])) s->refused = 1;
        });
        made.finally([=] {
          while (task* const left = s->box.rob()) run(left);
          for (int i = 0; i < 3; ++i) {
            const bool refused = i == 2 && s->refused == 1;
            model::require(s->tasks[static_cast<std::size_t>(i)].runs == (refused ? 0 : 1), "run once, or refused");
          }
          model::require(s->box.looks_empty(), "nothing is left");
        });
      },
      {.preemptions = 1}));
}

TEST(bounded_mailbox_model, thieves_take_only_what_the_owner_opened) {
  const model::outcome alone = model::explore([](model::program& made) {
    auto box = std::make_shared<bounded_mailbox<task>>(3);
    auto tasks = std::make_shared<std::array<task, 3>>();
    const auto expect = [](const task* got, const task* wanted) { model::require(got == wanted, "the expected task"); };
    made.thread([=] {
      for (task& one : *tasks) model::require(box->try_push(one), "there is room");
      expect(box->take_open(), nullptr);
      expect(box->take_own(), &(*tasks)[0]);
      model::require(box->try_push((*tasks)[0]), "there is room again");
      model::require(!box->try_push((*tasks)[0]), "full");
      expect(box->take_open(), &(*tasks)[1]);
      expect(box->take_open(), &(*tasks)[2]);
      expect(box->take_open(), nullptr);  // pushed after the owner looked
      expect(box->rob(), &(*tasks)[0]);
      expect(box->rob(), nullptr);
    });
  });
  EXPECT_EQ(alone.failure, "") << alone.schedule;
}

/// Worker 0 is the target of all tasks; worker 1 is of the same node.
struct workers {
  explicit workers(std::uint32_t count) : lot_(count, 1) {}

  // For send_task().
  bounded_mailbox<task>& box_of(std::uint32_t) { return box; }
  parking_lot& lot() { return lot_; }
  bool notify(std::uint32_t worker) { return lot_.notify(worker); }
  [[nodiscard]] bool is_in_task(std::uint32_t) const { return target_is_busy; }
  bool notify_mate(std::uint32_t) { return lot_.workers() > 1 && has_mate && lot_.notify(1); }
  void notify_one(std::uint32_t) {
    for (std::uint32_t i = 0; i < lot_.workers(); ++i)
      if (lot_.notify(i)) return;
  }

  /// What nearfork::idle() asks of a worker. Here a search is one look.
  struct place {
    workers& in;
    std::uint32_t self;
    task* search() { return self == 0 ? in.box.take_own() : in.box.rob(); }
    void ask_everyone() {}
    [[nodiscard]] bool stopping() const { return false; }
    [[nodiscard]] bool work_in_sight() const { return !in.box.looks_empty(); }
    [[nodiscard]] bool more_in_sight() const { return false; }
    void park() { in.lot_.park(self); }
    void notify_one() { in.notify_one(self); }
  };
  void work_once(std::uint32_t self) {
    place here{*this, self};
    run(idle(here, lot_, self));
  }
  void send(task& one) {
    make(one);
    model::require(send_task(*this, one, 0), "there is room");
  }

  parking_lot lot_;
  bounded_mailbox<task> box{2};
  bool target_is_busy = false;
  bool has_mate = true;
};

TEST(bounded_mailbox_model, a_sleeping_owner_is_woken_by_its_mail) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<workers>(1);
        auto one = std::make_shared<task>();
        made.thread([=] { s->work_once(0); });
        made.thread([=] { s->send(*one); });
        made.finally([=] { model::require(one->runs == 1, "the owner has run it"); });
      },
      {.preemptions = 4}));
}

/// The target never looks.
model::outcome another_comes(bool busy_as_seen, bool has_mate) {
  return model::explore(
      [=](model::program& made) {
        auto s = std::make_shared<workers>(2);
        s->target_is_busy = busy_as_seen;
        s->has_mate = has_mate;
        auto one = std::make_shared<task>();
        made.thread([=] { s->work_once(1); });
        made.thread([=] { s->send(*one); });
        made.finally([=] { model::require(one->runs == 1, "another worker has run it"); });
      },
      {.preemptions = 4});
}

TEST(bounded_mailbox_model, a_worker_of_the_node_comes_if_the_owner_is_in_a_task) {
  expect_holds(another_comes(true, true));
}

TEST(bounded_mailbox_model, any_worker_comes_if_none_of_the_node_sleeps) {
  expect_holds(another_comes(true, false));
}

TEST(bounded_mailbox_model, another_worker_comes_even_if_the_owner_seems_to_search) {
  expect_holds(another_comes(false, true));
}

TEST(bounded_mailbox_model, two_tasks_find_two_workers) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<workers>(2);
        auto both = std::make_shared<std::array<task, 2>>();
        made.thread([=] { s->work_once(0); });
        made.thread([=] { s->work_once(1); });
        made.thread([=] {
          s->send((*both)[0]);
          s->send((*both)[1]);
        });
        made.finally([=] {
          for (task& one : *both) model::require(one.runs == 1, "each task has run once");
        });
      },
      {.preemptions = 1}));
}

}  // namespace
