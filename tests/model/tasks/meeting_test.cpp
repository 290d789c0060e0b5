// The real meeting, as a coroutine and the task that it waits for use it (flow_wait.hpp).
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "nearfork/detail/tasks/meeting.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

/// The later side goes on with the coroutine, reads what both have written, and destroys the wait.
struct meeting_scene {
  struct wait {
    detail::meeting sides;
    detail::seam::plain<int> waiter{0};
    detail::seam::plain<int> failure{0};
  };
  wait* shared = new wait;
  int resumed = 0;  // one model thread runs at a time

  void coroutine() {
    shared->waiter = 1;
    if (shared->sides.arrive()) go_on();
  }
  void task() {
    shared->failure = 2;
    if (shared->sides.arrive()) go_on();
  }

 private:
  void go_on() {
    ++resumed;
    model::require(shared->waiter == 1 && shared->failure == 2, "what both sides did is visible");
    delete shared;
  }
};

// [FW1]
TEST(meeting_model, the_later_side_goes_on_once_and_sees_the_earlier_one) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<meeting_scene>();
        made.thread([=] { s->coroutine(); });
        made.thread([=] { s->task(); });
        made.finally([=] { model::require(s->resumed == 1, "resumed once"); });
      },
      {.preemptions = 4}));
}

}  // namespace
