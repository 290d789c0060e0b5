// Random programs, beside the same programs in their own order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::access;
using nearfork::commutative;
using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::reduction;

class dataflow_programs : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{nearfork::test::with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, dataflow_programs, testing::Values(1U, 2U, 5U));

constexpr std::size_t cells = 24;
using data = std::vector<std::uint64_t>;
enum class how : std::uint8_t { reads, writes, commutes, reduces };

struct step {
  how what;
  std::size_t first;
  std::size_t count;
};
struct program {
  std::vector<std::vector<step>> tasks;
};

program random_program(std::mt19937& random, std::size_t tasks) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::size_t grain = std::array<std::size_t, 3>{1, 2, 6}[below(3)];  // coarse grains repeat exact ranges
  program made;
  for (std::size_t i = 0; i < tasks; ++i) {
    std::vector<step> steps;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const std::size_t first = grain * below(cells / grain);
      const std::size_t most = (cells - first) / grain;
      steps.push_back({static_cast<how>(below(3)), first, grain * (1 + below(std::min<std::size_t>(most, 3)))});
    }
    // A task that reduces does nothing else: it must not see the data that its copy is folded into.
    if (below(5) == 0) steps = {{how::reduces, steps[0].first, steps[0].count}};
    made.tasks.push_back(std::move(steps));
  }
  return made;
}

/// Most tasks touch single elements, and many read or update one of a few long ranges, which overlap, or read a window.
program program_with_long_ranges(std::mt19937& random, std::size_t tasks, std::size_t elements) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::array<step, 3> long_ranges{
      {{how::reads, 0, elements}, {how::reads, 0, elements / 2}, {how::reads, elements / 4, elements - elements / 4}}};
  const std::size_t ranges = 1 + below(3);
  const bool updates = below(2) == 0;
  program made;
  for (std::size_t i = 0; i < tasks; ++i) {
    std::vector<step> steps;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      if (below(3) == 0) steps.push_back(long_ranges[below(ranges)]);
      else if (below(8) == 0) steps.push_back({how::reads, i % (elements / 2), elements / 2});
      else steps.push_back({static_cast<how>(below(3)), below(elements - 3), 1 + below(3)});
    }
    if (below(40) == 0) steps = {{how::writes, below(elements / 2), elements / 2}};
    if (below(9) == 0) steps = {{how::reduces, below(elements), 1}};
    if (updates && below(9) == 0) {
      steps = {long_ranges[below(ranges)]};
      steps[0].what = below(2) == 0 ? how::commutes : how::reduces;
    }
    made.tasks.push_back(std::move(steps));
  }
  return made;
}

/// Tasks of different lengths overlap in more ways.
void work_for_a_while(std::uint64_t id) {
  if (id % 3 != 0) return;
  if (id % 4 == 0) std::this_thread::yield();
  for (std::atomic<std::uint64_t> i{0}; i < (id * 37) % 400;) ++i;
}

void run_task(const std::vector<step>& steps, std::uint64_t id, data& all) {
  std::uint64_t seen = id;
  for (const step& each : steps)
    if (each.what == how::reads)
      for (std::size_t i = 0; i < each.count; ++i) seen = seen * 31 + all[each.first + i];
  work_for_a_while(id);
  for (const step& each : steps)
    for (std::size_t i = 0; i < each.count; ++i) {
      std::uint64_t& one = all[each.first + i];
      if (each.what == how::writes) one = one * 7 + seen;
      if (each.what == how::commutes || each.what == how::reduces) one += id * id + i;
    }
}

/// Commuting tasks add what does not depend on the order, unless they also read.
program with_commuting_alone(program from) {
  for (auto& steps : from.tasks)
    if (std::ranges::any_of(steps, [](const step& each) { return each.what == how::commutes; }))
      std::erase_if(steps, [](const step& each) { return each.what != how::commutes; });
  return from;
}

void add_task(dataflow& graph, const program& all, std::size_t id, data& values, std::vector<std::atomic<int>>& runs) {
  const auto& steps = all.tasks[id];
  const auto part = [&](const step& one) { return std::span(values).subspan(one.first, one.count); };
  if (steps[0].what == how::reduces) {
    graph.task({reduction(part(steps[0]), std::plus<>())}, [id, &runs](std::span<std::uint64_t> mine) {
      runs[id].fetch_add(1);
      work_for_a_while(id);
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += id * id + i;
    });
    return;
  }
  std::vector<access> accesses;
  for (const step& one : steps) {
    if (one.what == how::reads) accesses.push_back(in(part(one)));
    if (one.what == how::writes) accesses.push_back(inout(part(one)));
    if (one.what == how::commutes) accesses.push_back(commutative(part(one)));
  }
  graph.task(accesses, [&steps, id, &values, &runs] {
    runs[id].fetch_add(1);
    run_task(steps, id, values);
  });
}

/// Runs it in a graph, `times` times, and compares with the program in its own order.
void check_program(nearfork::runtime& runtime, const program& one, std::size_t elements, int times) {
  data expected(elements);
  for (int i = 0; i < times; ++i)
    for (std::size_t id = 0; id < one.tasks.size(); ++id) run_task(one.tasks[id], id, expected);
  data values(elements);
  std::vector<std::atomic<int>> runs(one.tasks.size());
  runtime.run([&] {
    dataflow graph;
    if (times > 1) graph.keep();
    for (std::size_t id = 0; id < one.tasks.size(); ++id) add_task(graph, one, id, values, runs);
    graph.wait();
    for (int i = 1; i < times; ++i) graph.replay();
    graph.sync();
  });
  ASSERT_EQ(values, expected);
  for (const auto& each : runs) ASSERT_EQ(each.load(), times);
}

TEST_P(dataflow_programs, random_programs_end_as_in_their_own_order) {
  const std::size_t graphs = nearfork::test::sanitized ? 300 : 3'000;
  std::mt19937 random(GetParam());
  for (std::size_t n = 0; n < graphs; ++n) {
    check_program(runtime_, with_commuting_alone(random_program(random, 1 + n % 40)), cells, 1);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "graph " << n;
  }
}

/// Reads of long ranges are noted apart from their cells, updates merge cells, and long lists of tasks get ends.
TEST_P(dataflow_programs, so_do_programs_with_long_ranges) {
  const std::size_t graphs = nearfork::test::sanitized ? 20 : 200;
  std::mt19937 random(100 + GetParam());
  for (std::size_t n = 0; n < graphs; ++n) {
    const std::size_t elements = 150 + n % 100;
    const program one = with_commuting_alone(program_with_long_ranges(random, 100 + 2 * n % 500, elements));
    check_program(runtime_, one, elements, n % 3 == 0 ? 2 : 1);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "graph " << n;
  }
}

}  // namespace
