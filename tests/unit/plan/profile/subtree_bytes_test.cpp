#include "plan/profile/subtree_bytes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "random_tree.hpp"
#include "unit/plan/mebibyte.hpp"

namespace nearfork {
namespace {

using test::MiB;

profile two_leaves(cost_source source, task_cost each, std::uint64_t input_bytes = 0) {
  profile measured(regular_tree(2, 1), source, input_bytes);
  measured.record(tree_node{1}, each);
  measured.record(tree_node{2}, each);
  measured.complete();
  return measured;
}

/// The bytes of all tasks. Empty: not known.
std::vector<double> listed(const profile& of, const bytes_of_task& bytes) {
  std::vector<double> all;
  for (std::uint32_t i = 0; bytes && i < of.tree().size(); ++i) all.push_back(bytes(tree_node{i}));
  return all;
}

TEST(subtree_bytes, are_measured_if_they_can_be_and_divided_if_not) {
  using list = std::vector<double>;
  const profile both = two_leaves(cost_source::cache_misses, {.size_bytes = 3 * MiB}, 8 * MiB);
  EXPECT_EQ(listed(both, measured_bytes(both)), (list{6.0 * MiB, 3.0 * MiB, 3.0 * MiB}));
  EXPECT_EQ(listed(both, bytes_by_branching(both)), (list{8.0 * MiB, 4.0 * MiB, 4.0 * MiB}));
  EXPECT_EQ(listed(both, best_known_bytes(both)), listed(both, measured_bytes(both)));

  const profile timed = two_leaves(cost_source::time, {.time_ns = 5}, 8 * MiB);
  EXPECT_FALSE(measured_bytes(timed));
  EXPECT_EQ(listed(timed, best_known_bytes(timed)), listed(timed, bytes_by_branching(timed)));
  EXPECT_FALSE(best_known_bytes(two_leaves(cost_source::time, {.time_ns = 5})));
  EXPECT_FALSE(measured_bytes(two_leaves(cost_source::cache_misses, {}))) << "a counter that never counted";
}

TEST(bytes_by_branching, say_what_the_definition_says) {
  task_tree tree;
  const tree_node child = tree.try_fork(tree_root, 3);
  (void)tree.try_fork(child, 4);
  (void)tree.try_fork(tree_root, 2);
  const profile measured(tree, cost_source::time, 1000);
  const bytes_of_task bytes = bytes_by_branching(measured);
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    EXPECT_DOUBLE_EQ(bytes(tree_node{i}), size_by_branching(tree, tree_node{i}, 1000));
}

TEST(is_cpu_bound, by_bytes_for_the_time) {
  struct row {
    cost_source source;
    task_cost each;
    bool bound;
  };
  const row rows[] = {
      {cost_source::cache_misses, {.size_bytes = 64, .time_ns = 1'001}, true},
      {cost_source::cache_misses, {.size_bytes = 64, .time_ns = 1'000}, false},
      {cost_source::placed_bytes, {.size_bytes = 1, .time_ns = 1'000'000}, true},
      {cost_source::placed_bytes, {.size_bytes = MiB, .time_ns = 100'000}, false},
      {cost_source::cache_misses, {.size_bytes = 0, .time_ns = 1}, true},
      {cost_source::cache_misses, {.size_bytes = 1, .time_ns = 0}, false},
      {cost_source::time, {.size_bytes = 0, .time_ns = 1'000'000}, false},
  };
  for (const row& r : rows)
    EXPECT_EQ(is_cpu_bound(two_leaves(r.source, r.each)), r.bound) << r.each.size_bytes << " in " << r.each.time_ns;
}

}  // namespace
}  // namespace nearfork
