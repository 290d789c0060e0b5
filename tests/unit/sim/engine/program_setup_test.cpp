// Where data lie before the first iteration.
#include "sim/programs/setup.hpp"

#include <gtest/gtest.h>

#include <nearfork/config.hpp>

#include "sim/engine/region_run.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

/// 4 MiB in two buffers; no cache holds anything.
program heat_with(setup_kind how) {
  program made = regular_grid({.rows = 256, .row_bytes = 8192, .leaf_rows = 8});
  made.arrays = {{0, 256 * 8192}, {256 * 8192, 256 * 8192}};
  set_up(made, how);
  return made;
}

region_run run_with(setup_kind how, std::string_view policy = "random", std::size_t iterations = 3) {
  static const machine where = machine_of(4, 2);
  return run_region(heat_with(how), where, *make_policy(policy), {.iterations = iterations});
}

TEST(program_setup, is_no_iteration) {
  for (const setup_kind how : {setup_kind::none, setup_kind::serial, setup_kind::quarters, setup_kind::interleaved}) {
    const region_run seen = run_with(how);
    EXPECT_EQ(seen.iterations.size(), 3U) << name_of(how);
    EXPECT_EQ(seen.iterations[0].memory.accesses, seen.iterations[2].memory.accesses) << name_of(how);
  }
}

TEST(program_setup, serial_puts_all_data_on_one_node) {
  for (const iteration_report& one : run_with(setup_kind::serial).iterations) {
    EXPECT_GT(one.traffic_bytes_of_node[0], 0U);
    for (std::size_t node = 1; node < 4; ++node) EXPECT_EQ(one.traffic_bytes_of_node[node], 0U);
  }
}

TEST(program_setup, quarters_and_interleaved_give_each_node_the_same) {
  for (const setup_kind how : {setup_kind::quarters, setup_kind::interleaved})
    for (const iteration_report& one : run_with(how).iterations)
      for (std::size_t node = 1; node < 4; ++node)
        EXPECT_NEAR(static_cast<double>(one.traffic_bytes_of_node[node]),
                    static_cast<double>(one.traffic_bytes_of_node[0]), 0.05 * 4 * 1024 * 1024)
            << name_of(how);
}

TEST(program_setup, under_laws_quarters_are_local) {
  const region_run seen = run_with(setup_kind::quarters, "laws", 1);
  EXPECT_GT(seen.iterations[0].memory.local, 9 * seen.iterations[0].memory.remote);
}

// A phase in which one task reads all data and two tasks write one half each: the page is where it is written.
TEST(program_setup, a_page_is_placed_by_its_first_write) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  task_graph halves(std::move(tree));
  const data_access all[] = {{0, 1 << 20, access_kind::read}};
  const data_access one[] = {{0, 1 << 19, access_kind::write}};
  const data_access other[] = {{1 << 19, 1 << 19, access_kind::write}};
  halves.set_work(tree_root, 0, 0, all);
  halves.set_work(tree_node{1}, 0, 100'000, one);
  halves.set_work(tree_node{2}, 0, 100'000, other);
  program what{.name = "halves", .graphs = {halves}, .course = {0}};
  what.setup.push_back(halves);
  const machine where = machine_of(2, 1);
  const region_run seen = run_region(what, where, *make_policy("random"), {.iterations = 1});
  EXPECT_GT(seen.iterations[0].traffic_bytes_of_node[0], 0U);
  EXPECT_GT(seen.iterations[0].traffic_bytes_of_node[1], 0U);
}

}  // namespace
}  // namespace nearfork::sim
