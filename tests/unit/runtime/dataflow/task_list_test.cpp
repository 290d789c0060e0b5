#include <nearfork/detail/dataflow/task_list.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>

#include "runtime/webs/nested_scope.hpp"

namespace nearfork {
namespace {

using detail::task_link;
using detail::task_list;

/// Counts the links that lists have.
class counted_links {
 public:
  task_link* take() {
    ++taken_;
    return &all_[taken_ - 1];
  }
  void give(task_link* one) {
    --taken_;
    EXPECT_EQ(one, &all_[taken_]) << "links come back newest first";
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  std::array<task_link, 8> all_{};
  std::size_t taken_ = 0;
};

TEST(task_list, gives_the_newest_first_and_has_a_link_for_all_but_the_last) {
  const call_site here("task_list_test.cpp", 1);
  std::array<end_task, 4> tasks{end_task(here), end_task(here), end_task(here), end_task(here)};
  counted_links links;
  task_list list;
  EXPECT_TRUE(list.is_empty());
  EXPECT_EQ(list.newest(), nullptr);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    list.add(tasks[i], links);
    EXPECT_EQ(list.newest(), &tasks[i]);
    EXPECT_EQ(links.taken(), i);
  }
  std::vector<const detail::dataflow_task*> shown;
  list.for_each([&](const detail::dataflow_task& each) { shown.push_back(&each); });
  EXPECT_EQ(shown, (std::vector<const detail::dataflow_task*>{&tasks[3], &tasks[2], &tasks[1], &tasks[0]}));
  for (std::size_t i = tasks.size(); i-- > 0;) {
    EXPECT_FALSE(list.is_empty());
    EXPECT_EQ(&list.take(links), &tasks[i]);
    EXPECT_EQ(links.taken(), i == 0 ? 0 : i - 1);
  }
  EXPECT_TRUE(list.is_empty());
}

}  // namespace
}  // namespace nearfork
