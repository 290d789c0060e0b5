#include "power/write_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

using nearfork::write_gate;

TEST(write_gate, lets_nobody_in_once_it_is_closed) {
  write_gate gate;
  EXPECT_TRUE(gate.try_enter());
  gate.leave();
  EXPECT_TRUE(gate.close());
  EXPECT_FALSE(gate.try_enter());
  EXPECT_TRUE(gate.close());
}

TEST(write_gate, gives_up_on_a_writer_that_never_leaves) {
  write_gate gate;
  ASSERT_TRUE(gate.try_enter());
  EXPECT_FALSE(gate.close(10));
  gate.leave();
  EXPECT_TRUE(gate.close(10));
  EXPECT_FALSE(gate.try_enter());
}

TEST(write_gate, closes_after_the_write_in_progress) {
  for (int round = 0; round < 200; ++round) {
    write_gate gate;
    std::atomic<int> written{0};
    std::atomic<bool> closed{false};
    std::thread writer([&] {
      while (gate.try_enter()) {
        EXPECT_FALSE(closed.load());
        written.fetch_add(1);
        gate.leave();
      }
    });
    while (written.load() < 10) std::this_thread::yield();
    ASSERT_TRUE(gate.close());
    closed.store(true);
    writer.join();
  }
}

}  // namespace
