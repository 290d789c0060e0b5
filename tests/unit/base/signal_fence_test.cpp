#include "base/signal_fence.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/process_number.hpp"

namespace nearfork {
namespace {

/// A thread that computes until the object ends.
class busy_thread {
 public:
  explicit busy_thread(bool answers) : thread_([this, answers] { work(answers); }) {
    while (number_.load() == 0) std::this_thread::yield();
  }
  ~busy_thread() {
    over_.store(true);
    thread_.join();
  }
  busy_thread(const busy_thread&) = delete;
  busy_thread& operator=(const busy_thread&) = delete;
  [[nodiscard]] int number() const { return number_.load(); }

 private:
  void work(bool answers) {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    number_.store(answers ? answer_signal_fences() : thread_number());
    while (!over_.load()) std::this_thread::yield();
  }

  std::atomic<int> number_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// The machine may be busy: the thread may need several questions before it runs.
bool answers_at_last(int thread) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < until)
    if (fence_in_thread(thread)) return true;
  return false;
}

class signal_fence : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(prepare_signal_fence(), 0); }
};

TEST_F(signal_fence, is_passed_by_a_busy_thread) {
  const busy_thread other(true);
  EXPECT_TRUE(answers_at_last(other.number()));
}

TEST_F(signal_fence, is_given_up_where_the_thread_blocks_signals) {
  const busy_thread other(false);
  EXPECT_FALSE(fence_in_thread(other.number()));
  EXPECT_TRUE(answers_at_last(answer_signal_fences())) << "the seat is free again";
}

TEST_F(signal_fence, is_refused_for_a_thread_that_is_over) {
  int number = 0;
  {
    const busy_thread other(true);
    number = other.number();
  }
  EXPECT_FALSE(fence_in_thread(number));
}

/// More askers than seats: some are refused, nobody hangs.
TEST_F(signal_fence, has_room_for_many_askers) {
  const busy_thread other(true);
  std::atomic<int> answered{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 80; ++i) askers.emplace_back([&] { answered += answers_at_last(other.number()) ? 1 : 0; });
  for (std::thread& one : askers) one.join();
  EXPECT_EQ(answered.load(), 80);
}

TEST_F(signal_fence, leaves_other_users_of_the_signal_alone) {
  EXPECT_GE(fence_signal(), SIGRTMIN);
  EXPECT_EQ(::raise(fence_signal()), 0);  // not from us: no answer, no harm
  EXPECT_TRUE(answers_at_last(thread_number()));
}

}  // namespace
}  // namespace nearfork
