// The map of pages block by node, on pages placed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/advice/page_sight.hpp"

namespace nearfork::tools {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t page = 4096;

/// A root that forks two leaves. The first reads the first block, the second writes the last page of the second block.
sim::task_graph two_leaves() {
  task_tree tree;
  (void)tree.try_fork(tree_node{0}, 2);
  sim::task_graph made(tree);
  const sim::data_access first[] = {{0, 2 * page, sim::access_kind::read}};
  const sim::data_access second[] = {{4 * page, 100, sim::access_kind::write}};
  made.set_work(tree_node{1}, 0, 10, first);
  made.set_work(tree_node{2}, 0, 10, second);
  return made;
}

TEST(page_sight, counts_pages_before_and_after_and_the_tasks_beside_them) {
  const sim::data_array arrays[] = {{0, 2 * page}, {2 * page, 2 * page + 100}};
  page_sight sight(arrays, {"small", "large"}, {"node 0", "node 1"});
  sim::page_map pages(8);
  for (std::uint64_t i = 0; i < 5; ++i) pages.place(i, 0);
  sight.see(pages, page);
  pages.place(1, 1);
  pages.place(4, 1);
  sight.see(pages, page);
  const sim::task_run tasks[] = {{tree_node{0}, 0, 0, 0, 9}, {tree_node{1}, 1, 1, 0, 5}, {tree_node{2}, 0, 0, 0, 5}};
  const std::optional<std::uint32_t> nodes[] = {0U, 1U};
  sight.take_tasks(two_leaves(), tasks, nodes);

  const page_map_view map = sight.map();
  EXPECT_THAT(map.before.rows, ElementsAre("large", "small")) << "the largest first";
  EXPECT_THAT(map.before.cells, ElementsAre(ElementsAre(3, 0), ElementsAre(2, 0)));
  EXPECT_THAT(map.after.cells, ElementsAre(ElementsAre(2, 1), ElementsAre(1, 1)));
  EXPECT_THAT(map.tasks.cells, ElementsAre(ElementsAre(100, 0), ElementsAre(0, 2 * page)));
  EXPECT_THAT(sight.traffic().cells, ElementsAre(ElementsAre(0, 100), ElementsAre(page, page)));
}

TEST(page_sight, pages_that_nobody_wrote_lie_nowhere) {
  const sim::data_array arrays[] = {{0, 2 * page}};
  page_sight sight(arrays, {}, {"node 0"});
  sight.see(sim::page_map(2), page);
  EXPECT_THAT(sight.map().after.rows, ElementsAre("block 0"));
  EXPECT_THAT(sight.map().after.cells, ElementsAre(ElementsAre(0)));
}

}  // namespace
}  // namespace nearfork::tools
