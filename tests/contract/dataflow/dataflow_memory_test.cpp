// How much memory tasks take that wait.
#include <gtest/gtest.h>

#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

std::size_t allocated_bytes() {
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

/// Memory of the process, also what does not come from malloc.
std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream file("/proc/self/statm");
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

constexpr long tasks = 500'000;  // so that a huge page more or less does not count

/// Of each task that build(graph) creates, its closure included. With one worker the tasks wait until the frame
/// does.
template <class Build>
double bytes_a_task(const Build& build) {
  nearfork::runtime runtime(nearfork::test::with_workers(1));
  double each = 0;
  runtime.run([&] {
    nearfork::dataflow graph;
    const std::size_t before = resident_bytes();
    build(graph);
    each = static_cast<double>(resident_bytes() - before) / static_cast<double>(tasks);
    graph.sync();
  });
  return each;
}

TEST(dataflow_memory, a_task_that_waits_takes_at_most_160_bytes_beside_its_closure) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "another allocator";
  std::vector<long> row(65);
  const double each = bytes_a_task([&](nearfork::dataflow& graph) {
    for (long i = 0; i < tasks; ++i) {
      long* const own = &row[static_cast<std::size_t>(1 + i % 64)];
      graph.task({nearfork::in(own[-1]), nearfork::inout(*own)}, [own] { *own = own[-1] + 1; });
    }
  });
  EXPECT_LE(each, 160 + sizeof(long*));
  EXPECT_EQ(row[64], 64);
}

/// The buffer included.
TEST(dataflow_memory, so_does_a_task_with_a_buffer_of_its_own) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "another allocator";
  long ran = 0;
  const double each = bytes_a_task([&ran](nearfork::dataflow& graph) {
    auto before = graph.buffer<long>(1);
    graph.task({nearfork::out(before)}, [](std::span<long> to) { to[0] = 0; });
    for (long i = 0; i < tasks; ++i) {
      auto own = graph.buffer<long>(1);
      graph.task({nearfork::in(before), nearfork::out(own)},
                 [&ran](std::span<const long> from, std::span<long> to) { ran = to[0] = from[0] + 1; });
      before = std::move(own);
    }
  });
  EXPECT_LE(each, 160 + sizeof(long*));
  EXPECT_EQ(ran, tasks);
}

/// The element included. What the task reads is all that another one writes, so it has one record for what it writes.
TEST(dataflow_memory, so_does_a_task_that_reads_and_writes_a_stream) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "another allocator";
  long ran = 0;
  const double each = bytes_a_task([&ran](nearfork::dataflow& graph) {
    const auto passed = graph.stream<long>();
    graph.task({nearfork::out(passed)}, [](std::span<long> to) { to[0] = 0; });
    for (long i = 0; i < tasks; ++i)
      graph.task({nearfork::in(passed), nearfork::out(passed)},
                 [&ran](std::span<const long> from, std::span<long> to) { ran = to[0] = from[0] + 1; });
  });
  EXPECT_LE(each, 160 + sizeof(long) + sizeof(long*));
  EXPECT_EQ(ran, tasks);
}

/// If each reader were noted in each element, half of these tasks would take 48 kB each.
TEST(dataflow_memory, readers_of_a_range_and_writers_of_its_elements_take_no_square_of_their_number) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "another allocator";
  constexpr std::size_t pairs = 6'000;
  nearfork::runtime runtime(nearfork::test::with_workers(1));
  std::vector<long> row(pairs);
  double in_turn = 0;
  double in_a_row = 0;
  runtime.run([&] {
    nearfork::dataflow graph;
    const auto reads = [&] { graph.task({nearfork::in(std::span<const long>(row))}, [] {}); };
    const auto writes = [&](long& one) { graph.task({nearfork::inout(one)}, [&one] { ++one; }); };
    const std::size_t before = resident_bytes();
    for (long& each : row) {
      reads();
      writes(each);
    }
    in_turn = static_cast<double>(resident_bytes() - before) / (2 * pairs);
    graph.wait();
    const std::size_t between = resident_bytes();
    for (std::size_t i = 0; i < pairs; ++i) reads();
    for (long& each : row) writes(each);
    in_a_row = static_cast<double>(resident_bytes() - between) / (2 * pairs);
    graph.sync();
  });
  EXPECT_LE(in_turn, 1000);
  EXPECT_LE(in_a_row, 1000);
  EXPECT_EQ(row, std::vector<long>(pairs, 2));
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
