// A waiting fiber, the thread that makes the fiber ready, and a runtime that ends right after the fiber. Uses the real
// job, door and parking lot, and the protocols of idle_protocol.hpp and ready_fibers.hpp (suspension.md).
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "nearfork/detail/job.hpp"
#include "runtime/protocols/door.hpp"
#include "runtime/protocols/idle_protocol.hpp"
#include "runtime/protocols/ready_fibers.hpp"

namespace nearfork::detail {

struct fiber {
  seam::plain<std::uint32_t> runner{0};  // the worker that ran the fiber last
  seam::plain<int> registers{0};         // saved when the fiber was left
};

}  // namespace nearfork::detail

namespace {

using namespace nearfork;
using detail::fiber;
using detail::job;
using detail::seam::memory_order_acq_rel;
using detail::seam::memory_order_relaxed;
using model::expect_holds;

void never_runs(job&) {}

/// A runtime of one worker, which has one call from outside in progress. Its pool holds one fiber.
struct home {
  explicit home(std::uint32_t searching = 1) : lot_(1, searching) { (void)entrance_.try_enter(); }

  // For make_ready_in().
  door& entrance() { return entrance_; }
  [[nodiscard]] std::uint32_t nearest_to(const fiber& waiting) const { return waiting.runner; }
  void push_ready(fiber& waiting) { ready_.exchange(&waiting, memory_order_acq_rel); }
  parking_lot& lot() {
    model::require(alive == 1, "the runtime is there");
    return lot_;
  }
  void notify_one(std::uint32_t nearest) { lot().notify(nearest); }

  // For idle().
  fiber* search() { return work_in_sight() ? ready_.exchange(nullptr, memory_order_acq_rel) : nullptr; }
  void ask_everyone() {}
  [[nodiscard]] bool stopping() const { return false; }
  [[nodiscard]] bool work_in_sight() const { return ready_.load(memory_order_relaxed) != nullptr; }
  [[nodiscard]] bool more_in_sight() const { return false; }
  void park() { lot_.park(0); }
  void notify_one() {}

  void destroy() {
    entrance_.close();
    alive = 0;
  }

  detail::seam::plain<int> alive{1};

 private:
  door entrance_;
  parking_lot lot_;
  detail::seam::atomic<fiber*> ready_{nullptr};
};

struct suspension_scene {
  home runtime;
  job waited{detail::kind_of<&never_runs>};
  fiber parent;
  detail::seam::plain<int> result{0};
  int resumed = 0;  // one model thread runs at a time

  /// The parent's worker leaves the fiber, and resumes the fiber once it is ready.
  void wait() {
    parent.registers = 7;
    fiber* mine = waited.wait(&parent) ? nullptr : &parent;
    if (mine == nullptr) mine = idle(runtime, runtime.lot(), 0);
    model::require(mine == &parent, "it is the fiber");
    model::require(mine->registers == 7, "as it was left");
    model::require(result == 42, "what it waited for came along");
    mine->runner = 0;  // switch_fiber()
    ++resumed;
    runtime.entrance().leave();  // the call from outside returns
  }
  /// Called by a worker of another runtime, or by a thread that is no worker.
  void finish() {
    result = 42;
    if (fiber* const waiter = waited.finish()) {
      model::require(waiter->registers == 7, "its registers were saved before it was handed on");
      make_ready_in(runtime, *waiter);
    }
  }
};

TEST(suspension_model, a_waiting_fiber_goes_on_once) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<suspension_scene>();
        made.thread([=] { s->wait(); });
        made.thread([=] { s->finish(); });
        made.finally([=] { model::require(s->resumed == 1, "resumed once"); });
      },
      {.preemptions = 4}));
}

TEST(suspension_model, the_runtime_may_end_as_soon_as_the_fiber_has) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<suspension_scene>();
        made.thread([=] { s->wait(); });
        made.thread([=] { s->finish(); });
        made.thread([=] { s->runtime.destroy(); });
        made.finally([=] { model::require(s->resumed == 1, "resumed once"); });
      },
      {.preemptions = 3}));
}

}  // namespace
