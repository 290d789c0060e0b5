#include "sim/dataflow/dataflow_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nearfork/error.hpp>

#include "sim/dataflow/buffer_pools.hpp"
#include "unit/sim/dataflow/random_programs.hpp"

namespace nearfork::sim {
namespace {

using testing::ElementsAre;

TEST(dataflow_program, a_task_waits_for_its_inputs_and_for_the_readers_of_its_outputs) {
  dataflow_program what;
  const std::uint32_t a = what.add_block(flow_memory::buffer, 100);
  const std::uint32_t b = what.add_block(flow_memory::buffer, 100);
  const flow_access control_writes{b, access_kind::write, 100};
  const flow_access writes{a, access_kind::write, 100};
  const flow_access reads[] = {{a, access_kind::read, 100}, {b, access_kind::read, 100}};
  const std::uint32_t control = what.add_task(1, std::span(&control_writes, 1));
  const std::uint32_t writer = what.add_task(2, std::span(&writes, 1));
  const std::uint32_t first = what.add_task(1, {});
  const std::uint32_t reader = what.add_task(4, reads, first);
  what.finish();
  EXPECT_EQ(what.waits_for(first), 0U);
  EXPECT_EQ(what.waits_for(writer), 1U) << "the creation of its reader";
  EXPECT_EQ(what.waits_for(control), 1U);
  EXPECT_EQ(what.waits_for(reader), 3U) << "two inputs and its creation";
  EXPECT_THAT(what.followers(writer), ElementsAre(reader));
  EXPECT_EQ(work_ns(what), 8U);
  EXPECT_EQ(span_ns(what), 7U) << "first, writer, reader";
}

TEST(dataflow_program, refuses_what_could_never_run) {
  const auto with = [](auto&& make) {
    dataflow_program what;
    make(what);
    what.finish();
  };
  EXPECT_THROW(with([](dataflow_program& what) {
                 const flow_access read{what.add_block(flow_memory::buffer, 8), access_kind::read, 8};
                 what.add_task(1, std::span(&read, 1));
               }),
               error)
      << "nobody writes it";
  EXPECT_THROW(with([](dataflow_program& what) {
                 what.add_task(1, {});
                 what.add_task(1, {});
                 what.add_order(0, 1);
                 what.add_order(1, 0);
               }),
               error)
      << "a ring";
  EXPECT_THROW(with([](dataflow_program& what) {
                 const flow_access write{what.add_block(flow_memory::buffer, 8), access_kind::write, 8};
                 what.add_task(1, std::span(&write, 1));
                 what.add_task(1, std::span(&write, 1));
               }),
               error)
      << "two writers";
  EXPECT_THROW(with([](dataflow_program& what) {
                 const flow_access write{what.add_block(flow_memory::buffer, 8), access_kind::write, 9};
                 what.add_task(1, std::span(&write, 1));
               }),
               error)
      << "beyond the end";
}

TEST(dataflow_program, has_an_order_in_which_one_worker_could_run_it) {
  const dataflow_program what = random_layers(10, 10, 2);
  std::vector<std::size_t> place(what.tasks(), 0);
  for (std::size_t i = 0; i < what.an_order().size(); ++i) place[what.an_order()[i]] = i + 1;
  for (std::uint32_t task = 0; task < what.tasks(); ++task) {
    EXPECT_GT(place[task], 0U);
    for (const std::uint32_t follower : what.followers(task)) EXPECT_GT(place[follower], place[task]);
  }
}

TEST(buffer_pools, have_blocks_of_powers_of_two) {
  buffer_pools pools({.first_byte = 4096, .end_byte = 1 << 20, .least_bytes = 4096}, 2, {});
  EXPECT_EQ(pools.block_bytes(1), 4096U);
  EXPECT_EQ(pools.block_bytes(1 << 15), 1U << 15);
  EXPECT_EQ(pools.block_bytes((1 << 15) + 1), 1U << 16);
}

TEST(buffer_pools, take_blocks_back_where_they_lie) {
  buffer_pools pools({.first_byte = 0, .end_byte = 16384, .least_bytes = 4096}, 2, {});
  const std::uint64_t a = pools.take(0, 5000);
  EXPECT_EQ(pools.live_bytes(), 8192U);
  pools.give_back(a, 5000, 1);
  EXPECT_EQ(pools.take(0, 8000), 8192U) << "fresh, because the other block lies on node 1";
  EXPECT_EQ(pools.take(1, 8000), a);
  EXPECT_EQ(pools.most_live_bytes(), 16384U);
  EXPECT_THROW((void)pools.take(0, 1), error) << "nothing is left";
  pools.give_back(a, 5000, 1);
  EXPECT_EQ(pools.take(0, 5000), a) << "better far than not at all";
  EXPECT_EQ(pools.fell_back(), 1U);
}

}  // namespace
}  // namespace nearfork::sim
