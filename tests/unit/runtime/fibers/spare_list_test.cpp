#include "runtime/fibers/spare_list.hpp"

#include <gtest/gtest.h>

namespace nearfork {
namespace {

TEST(spare_list, gives_back_first_what_came_last) {
  detail::fiber first;
  detail::fiber second;
  detail::fiber_context of_first;
  detail::fiber_context of_second;
  first.context = &of_first;
  second.context = &of_second;
  spare_list spares;
  EXPECT_EQ(spares.pop(), nullptr);
  spares.push(first);
  spares.push(second);
  EXPECT_EQ(spares.size(), 2U);
  EXPECT_EQ(spares.pop(), &second);
  EXPECT_EQ(spares.pop(), &first);
  EXPECT_EQ(spares.pop(), nullptr);
  EXPECT_EQ(spares.size(), 0U);
}

}  // namespace
}  // namespace nearfork
