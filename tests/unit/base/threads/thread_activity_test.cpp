// What the system tells of other threads: how long they ran, and whether they wait.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <thread>

#include "base/monotonic_clock.hpp"
#include "base/process_number.hpp"
#include "base/threads/thread_activity.hpp"

namespace {

using nearfork::processor_ns;
using nearfork::runs_in_system;
using nearfork::thread_number;
using nearfork::waits_in_system;

/// A thread that runs `what` once its number is known.
class other_thread {
 public:
  template <class What>
  explicit other_thread(What what)
      : thread_([this, what] {
          number_.set_value(thread_number());
          what();
        }) {}
  [[nodiscard]] int number() { return known_ != 0 ? known_ : known_ = number_.get_future().get(); }

 private:
  std::promise<int> number_;
  int known_ = 0;
  std::jthread thread_;
};

/// Waits up to ten seconds.
template <class Happened>
bool happens(Happened happened) {
  const std::uint64_t until = nearfork::now_ns() + 10'000'000'000;
  while (!happened())
    if (nearfork::now_ns() > until) return false;
  return true;
}

TEST(thread_activity, a_thread_that_waits_uses_no_processor) {
  std::atomic<bool> over{false};
  other_thread other([&] { over.wait(false); });
  // It may also wait for a moment on its way.
  EXPECT_TRUE(happens([&] {
    const auto before = processor_ns(other.number());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return before.has_value() && processor_ns(other.number()) == before && waits_in_system(other.number()) &&
           !runs_in_system(other.number());
  }));
  over = true;
  over.notify_one();
}

TEST(thread_activity, a_thread_that_runs_uses_processors) {
  std::atomic<bool> over{false};
  other_thread other([&] {
    while (!over) {
    }
  });
  const auto before = processor_ns(other.number());
  ASSERT_TRUE(before.has_value());
  EXPECT_TRUE(happens([&] { return *processor_ns(other.number()) > *before; }));
  EXPECT_FALSE(waits_in_system(other.number()));
  EXPECT_TRUE(happens([&] { return runs_in_system(other.number()); }));
  over = true;
}

TEST(thread_activity, the_calling_thread_runs) {
  EXPECT_FALSE(waits_in_system(thread_number()));
  EXPECT_TRUE(runs_in_system(thread_number()));
  EXPECT_GT(processor_ns(thread_number()).value_or(0), 0U);
}

TEST(thread_activity, nothing_is_known_of_a_thread_that_is_not_there) {
  int gone = 0;
  std::thread([&] { gone = thread_number(); }).join();
  EXPECT_FALSE(waits_in_system(0));
  EXPECT_FALSE(runs_in_system(0));
  EXPECT_TRUE(happens([&] { return !processor_ns(gone).has_value(); }));
  EXPECT_FALSE(waits_in_system(gone));
}

}  // namespace
