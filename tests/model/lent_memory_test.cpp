// A thread that ends while others look at its memory: the real handshake.
#include "runtime/protocols/lent_memory.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

/// What the owner writes after it took the memory back stands for what others do with it then.
struct thread_memory {
  detail::seam::plain<int> word{1};
  lent_memory<detail::seam::plain<int>> seen_by_others;

  thread_memory() { seen_by_others.lend(&word); }
  void end() {
    seen_by_others.take_back(nullptr, [] { return true; });
    word = 2;
  }
  void look() {
    const int seen = seen_by_others.look_at([](detail::seam::plain<int>* where) { return where ? int{*where} : 1; });
    model::require(seen == 1, "readers see what the thread had there");
  }
};

TEST(lent_memory_model, nobody_looks_at_memory_that_is_gone) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<thread_memory>();
        made.thread([=] { s->end(); });
        made.thread([=] { s->look(); });
        made.thread([=] { s->look(); });
      },
      {.preemptions = 3}));
}

/// As when a worker goes from thread to thread: a reader that looks again and again does not hold its owner for ever.
TEST(lent_memory_model, memory_of_the_next_thread_is_seen_meanwhile) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<thread_memory>();
        auto next = std::make_shared<detail::seam::plain<int>>(1);
        made.thread([=] {
          s->seen_by_others.take_back(next.get(), [] { return true; });
          s->word = 2;
          s->seen_by_others.take_back(nullptr, [] { return true; });
          *next = 3;
        });
        made.thread([=] {
          s->look();
          s->look();
        });
      },
      {.preemptions = 3}));
}

/// In the child of fork() the parent's readers are counted still.
TEST(lent_memory_model, nobody_waits_for_readers_that_never_end) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<thread_memory>();
        made.thread([=] {
          (void)s->seen_by_others.look_at([&](auto*) {
            s->seen_by_others.take_back(nullptr, [] { return false; });
            return 0;
          });
        });
        made.thread([=] { s->look(); });
      },
      {.preemptions = 3}));
}

}  // namespace
