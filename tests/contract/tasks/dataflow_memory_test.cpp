// How much memory tasks take that wait.
#include <gtest/gtest.h>

#include <malloc.h>

#include <cstddef>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

std::size_t allocated_bytes() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// With one worker the tasks wait until this frame does.
TEST(dataflow_memory, a_task_that_waits_takes_at_most_160_bytes_beside_its_closure) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "another allocator";
  constexpr std::size_t tasks = 200'000;
  nearfork::runtime runtime(nearfork::test::with_workers(1));
  std::vector<long> row(65);
  runtime.run([&] {
    nearfork::dataflow graph;
    const std::size_t before = allocated_bytes();
    for (std::size_t i = 0; i < tasks; ++i) {
      long* const own = &row[1 + i % 64];
      graph.task({nearfork::in(own[-1]), nearfork::inout(*own)}, [own] { *own = own[-1] + 1; });
    }
    const double each = static_cast<double>(allocated_bytes() - before) / tasks;
    EXPECT_LE(each, 160 + sizeof(long*));
    graph.sync();
  });
  EXPECT_EQ(row[64], 64);
}

/// Blocks of tasks that have ended are used again, whoever creates the next tasks.
TEST(dataflow_memory, tasks_in_turn_take_no_more_memory) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "another allocator";
  nearfork::runtime runtime(nearfork::test::with_workers(1));
  long sum = 0;
  runtime.run([&] {
    nearfork::dataflow graph;
    std::size_t after_some = 0;
    for (int part = 0; part < 200; ++part) {
      for (int i = 0; i < 100; ++i)
        graph.task({nearfork::inout(sum)}, [&graph, &sum] {
          ++sum;
          graph.task({nearfork::inout(sum)},
                     [&sum, part_of_a_larger_closure = 1L] { sum += part_of_a_larger_closure; });
        });
      graph.wait();
      if (part == 10) after_some = allocated_bytes();
    }
    EXPECT_LE(allocated_bytes(), after_some + (std::size_t{16} << 10));
  });
  EXPECT_EQ(sum, 40'000);
}

}  // namespace
