// The real join: a waiting parent and a finishing thief see each other, the result arrives, and a finished job may be
// destroyed.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "nearfork/detail/job.hpp"

namespace {

using namespace nearfork;
using detail::job;
using model::expect_holds;

void never(job&) {}

struct meeting {
  std::unique_ptr<job> work = std::make_unique<job>(detail::kind_of<&never>);
  job* raw = work.get();
  detail::seam::plain<int> result{0};
  detail::seam::plain<int> context{0};  // the parent's saved registers
  detail::seam::atomic<std::uint32_t> resumed{0};

  detail::fiber* parent() { return reinterpret_cast<detail::fiber*>(this); }

  /// The thief stores the result, finishes the job, and resumes the waiter.
  void finish() {
    result = 42;
    if (detail::fiber* const waiter = raw->finish()) {
      model::require(waiter == parent(), "the waiter is the parent");
      model::require(context == 1, "its context was saved before it was handed on");
      resumed.store(1, detail::seam::memory_order_release);
      detail::seam::futex_wake_one(resumed);
    }
  }
  /// The parent goes on, after it was resumed or has seen that the job is done.
  void go_on() {
    model::require(result == 42, "the result came along");
    std::destroy_at(work.release());
  }
};

TEST(job_model, waiter_and_finisher_meet_exactly_once) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<meeting>();
        made.thread([=] {
          s->context = 1;
          if (s->raw->wait(s->parent()))
            while (s->resumed.load(detail::seam::memory_order_acquire) == 0) detail::seam::futex_wait(s->resumed, 0);
          s->go_on();
        });
        made.thread([=] { s->finish(); });
      },
      {.preemptions = 4}));
}

TEST(job_model, a_parent_that_only_looks_gets_the_result) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<meeting>();
        made.thread([=] {
          while (!s->raw->done()) detail::seam::pause();
          s->go_on();
        });
        made.thread([=] { s->finish(); });
      },
      {.preemptions = 4}));
}

struct counted : job {
  explicit counted(std::shared_ptr<int> to) : job(detail::kind_of<&count>), runs(std::move(to)) {}
  static void count(job& self) { ++*static_cast<counted&>(self).runs; }
  std::shared_ptr<int> runs;
};

TEST(job_model, the_function_is_found_whether_or_not_somebody_waits_already) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto runs = std::make_shared<int>(0);
        auto s = std::make_shared<counted>(runs);
        made.thread([=] { (void)s->wait(nullptr); });
        made.thread([=] {
          s->run();
          (void)s->finish();
        });
        made.finally([=] { model::require(*runs == 1, "it ran once"); });
      },
      {.preemptions = 4}));
}

}  // namespace
