#include "plan/search/abundance.hpp"

#include <gtest/gtest.h>

namespace nearfork {
namespace {

TEST(abundance, ends_when_most_deques_and_all_pools_are_empty) {
  EXPECT_TRUE(work_abounds({.deques = 32, .empty_deques = 16}));
  EXPECT_FALSE(work_abounds({.deques = 32, .empty_deques = 17}));
  EXPECT_TRUE(work_abounds({.deques = 32, .empty_deques = 32, .pools_are_empty = false}));
}

}  // namespace
}  // namespace nearfork
