// The real event and suspension: a fiber or a thread waits, resumers resume and go. Exactly one of them ends the wait,
// and the last one out destroys what they share.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "nearfork/detail/tasks/event.hpp"
#include "nearfork/detail/tasks/suspension.hpp"

namespace {

using namespace nearfork;
using detail::fiber;
using detail::suspension;
using detail::seam::memory_order_acquire;
using detail::seam::memory_order_release;
using model::expect_holds;

struct scene {
  suspension* shared = new suspension;
  detail::seam::plain<int> message{0};
  detail::seam::atomic<std::uint32_t> ready{0};
  int resumed = 0;  // one model thread runs at a time
  int destroyed = 0;

  void wait_as_fiber() {
    if (shared->awaited().happening().wait(reinterpret_cast<fiber*>(this)))
      while (ready.load(memory_order_acquire) == 0) detail::seam::futex_wait(ready, 0);
    go_on();
  }
  void wait_as_thread() {
    if (!shared->awaited().happened()) shared->awaited().sleep();
    go_on();
  }
  void resume() {
    if (!shared->claim()) return;
    message = 42;
    if (fiber* const waiter = shared->finish(suspension::ending::resumed)) make_ready(*waiter);
  }
  void drop() {
    destroy_if(shared->drop_resumer([this](fiber& waiter) { make_ready(waiter); }));
  }

 private:
  void go_on() {
    if (shared->ended() == suspension::ending::resumed) {
      ++resumed;
      model::require(message == 42, "what the resumer did is visible");
    }
    destroy_if(shared->drop_call());
  }
  void make_ready(fiber& waiter) {
    model::require(&waiter == reinterpret_cast<fiber*>(this), "it is the fiber");
    ready.store(1, memory_order_release);
    detail::seam::futex_wake_one(ready);
  }
  void destroy_if(bool last) {
    if (!last) return;
    ++destroyed;
    delete shared;
  }
};

using way_to_wait = void (scene::*)();

/// `act` is what each of two resumers does. How often the wait ends by resume(): `expected`.
template <class Act>
void two_resumers(way_to_wait wait, Act act, int expected) {
  expect_holds(model::explore(
      [=](model::program& made) {
        auto s = std::make_shared<scene>();
        s->shared->add_resumer();
        made.thread([=] { ((*s).*wait)(); });
        for (int i = 0; i < 2; ++i) made.thread([=] { act(*s); });
        made.finally([=] {
          model::require(s->resumed == expected, "the wait ended once, and in the right way");
          model::require(s->destroyed == 1, "destroyed once");
        });
      },
      {.preemptions = 3}));
}

void resume_and_drop(scene& s) {
  s.resume();
  s.drop();
}
void drop(scene& s) {
  s.drop();
}

TEST(event_model, a_fiber_and_its_resumer_see_each_other) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<scene>();
        made.thread([=] { s->wait_as_fiber(); });
        made.thread([=] { resume_and_drop(*s); });
        made.finally([=] { model::require(s->resumed == 1 && s->destroyed == 1, "resumed and destroyed once"); });
      },
      {.preemptions = 4}));
}

TEST(event_model, a_sleeping_thread_and_its_resumer_see_each_other) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<scene>();
        made.thread([=] { s->wait_as_thread(); });
        made.thread([=] { resume_and_drop(*s); });
        made.finally([=] { model::require(s->resumed == 1 && s->destroyed == 1, "resumed and destroyed once"); });
      },
      {.preemptions = 4}));
}

TEST(event_model, one_of_two_resumers_resumes) {
  two_resumers(&scene::wait_as_fiber, resume_and_drop, 1);
  two_resumers(&scene::wait_as_thread, resume_and_drop, 1);
}

TEST(event_model, the_last_resumer_that_goes_ends_the_wait) {
  two_resumers(&scene::wait_as_fiber, drop, 0);
  two_resumers(&scene::wait_as_thread, drop, 0);
}

}  // namespace
