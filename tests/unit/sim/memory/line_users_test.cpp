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
  line_users users(3, 32766);
  users.begin(1, 0, 32765);
  users.begin(2, 8, 9);
  users.add(1, 5);
  users.add(1, 0);
  users.add(1, 5);
  EXPECT_TRUE(users.is_short(1));
  EXPECT_EQ(users_of(users, 1), (list{0, 32765, 5}));
  EXPECT_EQ(users_of(users, 2), (list{8, 9}));
}

TEST(line_users, are_not_known_where_many_read_the_line) {
  line_users users(1, 16);
  users.begin(0, 1, 2);
  users.add(0, 3);
  users.add(0, 4);
  users.add(0, 4);
  EXPECT_TRUE(users.complete(0));
  for (const std::uint32_t core : {5U, 6U, 1U}) users.add(0, core);
  EXPECT_FALSE(users.complete(0));
  users.begin(0, 6, 7);
  EXPECT_EQ(users_of(users, 0), (list{6, 7}));
  users.want_sets_near((1U << 10) - 1);
  for (const std::uint32_t core : {1U, 2U, 3U}) users.add(0, core);
  EXPECT_EQ(users_of(users, 0), (list{1, 2, 3, 6, 7}));
}

TEST(line_users, have_a_set_where_many_use_a_line_that_is_written) {
  line_users users(2, 32766);
  users.want_sets_near(1);
  users.begin(0, 130, 2);
  users.begin(1, 130, 2);
  for (const std::uint32_t core : {64U, 4U, 4U}) users.add(0, core);
  EXPECT_TRUE(users.is_short(0));
  for (const std::uint32_t core : {32765U, 0U, 2U}) users.add(0, core);
  EXPECT_FALSE(users.is_short(0));
  EXPECT_TRUE(users.complete(0));
  EXPECT_EQ(users_of(users, 0), (list{0, 2, 4, 64, 130, 32765}));
  EXPECT_EQ(users_of(users, 1), (list{130, 2}));
  EXPECT_TRUE(users.has(0, 32765));
  EXPECT_FALSE(users.has(0, 1));
  users.drop(0, std::vector<std::uint16_t>{2, 3, 130});
  EXPECT_EQ(users_of(users, 0), (list{0, 4, 64, 32765}));
}

TEST(line_users, of_two_lines_are_alike_in_short_lists_alone) {
  line_users users(3, 16);
  users.want_sets_near(0);
  for (const std::uint32_t line : {0U, 1U, 2U}) users.begin(line, 1, 2);
  users.add(2, 3);
  EXPECT_TRUE(users.alike(0, 1));
  EXPECT_FALSE(users.alike(0, 2));
  for (const std::uint32_t core : {5U, 6U, 7U}) users.add(0, core);
  EXPECT_FALSE(users.alike(0, 0));
}

TEST(line_users, are_not_known_where_sets_take_too_much_memory) {
  constexpr std::uint32_t cores = 65;
  line_users users(3, cores, 2 * 2 * sizeof(std::uint64_t));
  users.want_sets_near(0);
  const auto fill = [&](std::uint32_t line) {
    users.begin(line, 0, 1);
    for (std::uint32_t core = 0; core < cores; ++core) users.add(line, core);
  };
  for (const std::uint32_t line : {0U, 1U, 2U}) fill(line);
  EXPECT_TRUE(users.complete(0));
  EXPECT_TRUE(users.complete(1));
  EXPECT_FALSE(users.complete(2));
  users.begin(2, 6, 7);
  EXPECT_EQ(users_of(users, 2), (list{6, 7}));
  // A list that begins anew gives its set to the next one, without the users in it.
  users.begin(1, 6, 7);
  for (const std::uint32_t core : {8U, 9U, 64U}) users.add(2, core);
  EXPECT_EQ(users_of(users, 2), (list{6, 7, 8, 9, 64}));
  fill(1);
  EXPECT_FALSE(users.complete(1));
}

TEST(line_users, make_room_when_some_are_dropped) {
  line_users users(1, 16);
  users.begin(0, 1, 2);
  users.add(0, 3);
  users.add(0, 4);
  users.drop(0, std::vector<std::uint16_t>{1, 3, 5, 7});
  EXPECT_EQ(users_of(users, 0), (list{2, 4}));
  users.add(0, 9);
  EXPECT_EQ(users_of(users, 0), (list{2, 4, 9}));
  users.drop(0, std::vector<std::uint16_t>{2, 4, 9});
  EXPECT_EQ(users_of(users, 0), list{});
  EXPECT_TRUE(users.complete(0));
}

}  // namespace
}  // namespace nearfork::sim
