#include "tools/advice/quiet_recording.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace nearfork::tools {
namespace {

using recordings::access_kind;
using recordings::data_access;
using recordings::iteration;

/// A root with one fork of as many leaves as there are times; the root works for 7 before and 9 after it.
iteration forked(std::uint64_t number, std::uint64_t duration_ns, const std::vector<std::uint64_t>& leaves_ns,
                 std::uint64_t written_at = 0) {
  iteration made{.number = number, .duration_ns = duration_ns, .graph = {}};
  const std::array branching{static_cast<std::uint32_t>(leaves_ns.size())};
  made.graph.add_task(branching);
  made.graph.add_stretch(7, {});
  made.graph.add_stretch(9, {});
  for (const std::uint64_t one : leaves_ns) {
    const std::array writes{data_access{.kind = access_kind::write, .begin_byte = written_at, .size_bytes = 8}};
    made.graph.add_task({});
    made.graph.add_stretch(one, writes);
  }
  return made;
}

recordings::recording with(std::vector<iteration> all) {
  recordings::recording made{
      .program = "p", .policy = "random", .machine = "box", .workers = 2, .blocks = {}, .regions = {}};
  made.blocks.push_back({"data", 1 << 20});
  made.regions.push_back({.name = "loop", .iterations = 9, .recorded = std::move(all)});
  return made;
}

TEST(quiet_recording, has_the_median_of_each_stretch) {
  // Each worker was interrupted once, in another leaf each time.
  const recordings::recording made = quiet_recording(
      with({forked(2, 50, {10, 900, 30}, 8), forked(3, 70, {800, 20, 30}, 16), forked(4, 60, {10, 20, 700}, 24)}));
  ASSERT_EQ(made.regions.front().recorded.size(), 1U);
  EXPECT_EQ(made.regions.front().recorded.front(), forked(4, 50, {10, 20, 30}, 24)) << "and the data of the last one";
  EXPECT_EQ(made.regions.front().iterations, 9U);
}

TEST(quiet_recording, leaves_the_first_iteration_out_if_there_are_others) {
  const recordings::recording made = quiet_recording(with({forked(1, 500, {90}), forked(2, 50, {10})}));
  EXPECT_EQ(made.regions.front().recorded, std::vector{forked(2, 50, {10})});
  const recordings::recording alone = with({forked(1, 500, {90})});
  EXPECT_EQ(quiet_recording(alone), alone);
}

TEST(quiet_recording, keeps_what_dataflow_tasks_wait_for) {
  iteration chain = forked(2, 50, {10, 20});
  recordings::flow_order flow;
  flow.add_task(1, recordings::flow_order::by_waiting_task);
  flow.add_task(2, recordings::flow_order::by_waiting_task);
  flow.add_predecessor(1);
  chain.graph.order_by(flow);
  iteration other = chain;
  other.number = 3;
  const recordings::recording made = quiet_recording(with({chain, other, forked(4, 50, {10, 20})}));
  EXPECT_EQ(made.regions.front().recorded, std::vector{other}) << "and not that of the iteration without an order";
}

TEST(quiet_recording, is_of_the_most_frequent_tree) {
  const recordings::recording made =
      quiet_recording(with({forked(2, 1, {1}), forked(3, 10, {2, 3}), forked(4, 20, {4, 5}), forked(5, 1, {1, 1, 1})}));
  EXPECT_EQ(made.regions.front().recorded.front().graph.tasks(), 3U);
  EXPECT_EQ(made.regions.front().recorded.front().number, 4U);
}

TEST(quiet_recording, of_nothing_is_nothing) {
  const recordings::recording nothing = with({});
  EXPECT_EQ(quiet_recording(nothing), nothing);
}

}  // namespace
}  // namespace nearfork::tools
