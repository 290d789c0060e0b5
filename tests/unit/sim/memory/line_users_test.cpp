#include "sim/memory/line_users.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nearfork::sim {
namespace {

using list = std::vector<std::uint32_t>;

list users_of(const line_users& users, std::uint32_t line) {
  list all;
  users.for_each(line, [&](std::uint32_t core) { all.push_back(core); });
  return all;
}

TEST(line_users, are_each_listed_once) {
  line_users users(3);
  users.begin(1, 0, 32765);
  users.begin(2, 8, 9);
  users.add(1, 5);
  users.add(1, 0);
  users.add(1, 5);
  EXPECT_TRUE(users.complete(1));
  EXPECT_EQ(users_of(users, 1), (list{0, 32765, 5}));
  EXPECT_EQ(users_of(users, 2), (list{8, 9}));
}

TEST(line_users, are_not_listed_where_they_are_too_many) {
  line_users users(1);
  users.begin(0, 1, 2);
  users.add(0, 3);
  users.add(0, 4);
  EXPECT_TRUE(users.complete(0));
  users.add(0, 4);
  EXPECT_TRUE(users.complete(0));
  users.add(0, 5);
  EXPECT_FALSE(users.complete(0));
  users.add(0, 6);
  EXPECT_FALSE(users.complete(0));
  users.begin(0, 6, 7);
  EXPECT_EQ(users_of(users, 0), (list{6, 7}));
}

TEST(line_users, make_room_when_some_are_dropped) {
  line_users users(1);
  users.begin(0, 1, 2);
  users.add(0, 3);
  users.add(0, 4);
  users.drop(0, [](std::uint32_t core) { return core % 2 == 1; });
  EXPECT_EQ(users_of(users, 0), (list{2, 4}));
  users.add(0, 9);
  EXPECT_EQ(users_of(users, 0), (list{2, 4, 9}));
  users.drop(0, [](std::uint32_t) { return true; });
  EXPECT_EQ(users_of(users, 0), list{});
  EXPECT_TRUE(users.complete(0));
}

}  // namespace
}  // namespace nearfork::sim
