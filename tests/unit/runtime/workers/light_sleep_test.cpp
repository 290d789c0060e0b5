// A push that the system stops between its look at the limit and its store is in nobody's sight when the last other
// worker goes to sleep (parking.md). The job is found all the same, while its owner neither forks nor joins.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "runtime/workers/crew.hpp"
#include "tests/runtime_settings.hpp"

namespace {

class late_job : public nearfork::detail::job {
 public:
  late_job() noexcept : job(nearfork::detail::kind_of<&run_here>) {}
  [[nodiscard]] bool ran() const noexcept { return ran_.load(); }

 private:
  static void run_here(job& self) { static_cast<late_job&>(self).ran_.store(true); }
  std::atomic<bool> ran_{false};
};

template <class Done>
void await(const Done& done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

/// The limit is as the owner saw it before the others asked, all of which sleep now. False: they had asked before.
bool push_after_all_sleep(late_job& pushed, unsigned workers) {
  nearfork::fiber& self = nearfork::detail::this_fiber();
  auto& jobs = self.jobs;
  nearfork::detail::slot* const head = jobs.owner_head();
  jobs.owner_raise_limit();
  await([&] { return self.runner->home.lot().approx_counts().sleeping() == workers - 1; });
  if (!jobs.requested()) {
    jobs.request();  // as they left it
    return false;
  }
  jobs.owner_put(head, &pushed);
  jobs.owner_set_head(head + 1);
  await([&] { return pushed.ran(); });
  EXPECT_TRUE(pushed.ran()) << "nobody found the job";
  if (pushed.ran()) jobs.owner_forget(head);
  else static_cast<void>(jobs.owner_pop(head) || jobs.owner_take_back(head));
  return true;
}

void expect_late_pushes_are_found(unsigned workers) {
  nearfork::config settings = nearfork::test::with_workers(workers);
  settings.spin_us = 5'000;  // on an idle machine the limit is raised before the others are asleep
  nearfork::runtime runtime(settings);
  int found = 0;
  for (int round = 0; round < 100 && found < 3; ++round)
    runtime.run([&] {
      std::atomic<unsigned> awake{0};
      nearfork::parallel_for(0U, workers, [&](unsigned) {
        awake.fetch_add(1);
        await([&] { return awake.load() == workers; });
      });
      late_job pushed;
      found += push_after_all_sleep(pushed, workers) ? 1 : 0;
    });
  EXPECT_EQ(found, 3);
}

TEST(light_sleep, finds_a_push_that_was_stopped_before_its_store) {
  expect_late_pushes_are_found(2);
}

TEST(light_sleep, finds_it_with_more_workers) {
  expect_late_pushes_are_found(5);
}

}  // namespace
