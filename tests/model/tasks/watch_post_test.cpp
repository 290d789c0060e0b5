// The real watch_post: while a task waits and its worker goes to sleep, a worker is at the post.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "runtime/protocols/watch_post.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

struct posted {
  watch_post post;
  bool first_watches = false;  // one model thread runs at a time
  bool second_watches = false;
};

TEST(watch_post_model, a_task_that_waits_has_a_watcher) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<posted>();
        s->post.task_waits();
        s->first_watches = s->post.try_take();
        made.thread([=] {
          s->post.task_goes_on();
          if (s->post.leave_if_unwanted()) s->first_watches = false;
        });
        made.thread([=] {
          s->post.task_waits();
          s->second_watches = s->post.try_take();
        });
        made.finally([=] {
          model::require(s->first_watches || s->second_watches, "somebody watches");
          model::require(!(s->first_watches && s->second_watches), "one watches alone");
        });
      },
      {.preemptions = 4}));
}

/// [L2] of lane_watch.hpp.
TEST(watch_post_model, who_relies_on_a_watcher_has_one) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<posted>();
        s->post.take();
        s->first_watches = true;
        auto relies = std::make_shared<bool>(false);
        made.thread([=] {
          if (s->post.leave_if_unwanted()) s->first_watches = false;
        });
        made.thread([=] { *relies = s->post.begin_relying(); });
        made.finally([=] { model::require(s->first_watches || !*relies, "the watcher stays"); });
      },
      {.preemptions = 4}));
}

TEST(watch_post_model, two_workers_never_have_the_post_at_once) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<posted>();
        s->post.task_waits();
        made.thread([=] { s->first_watches = s->post.try_take(); });
        made.thread([=] { s->second_watches = s->post.try_take(); });
        made.finally([=] { model::require(s->first_watches != s->second_watches, "one watches"); });
      },
      {.preemptions = 4}));
}

}  // namespace
