// Which runtime reports a shortfall.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>

#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"

namespace {

using namespace nearfork;
using test::fake_memory;
using test::fake_nodes;

class shortfall_tellers : public testing::Test {
 protected:
  void* allocate_badly() { return memory.allocate(8 * fake_nodes::page, 8, {.where = placing::bound_to(1)}); }
  [[nodiscard]] bool told_by(const shortfall_teller& teller) const {
    return std::ranges::any_of(memory.shortfalls(), [&](const memory_shortfall& one) { return teller.tells(one); });
  }

  fake_nodes nodes{{100, 100}};
  placed_memory memory{std::make_unique<fake_memory>(nodes), machine_with({100, 100})};
};

TEST_F(shortfall_tellers, tell_what_was_while_they_lived_and_not_what_was_before) {
  nodes.refuse_policy = EPERM;
  std::optional<shortfall_teller> first(std::in_place);
  memory.free(allocate_badly());
  EXPECT_TRUE(told_by(*first));
  const shortfall_teller second;
  EXPECT_FALSE(told_by(second));
  first.reset();
  memory.free(allocate_badly());
  EXPECT_TRUE(told_by(second)) << "the same again, which the system is not asked for any more";
}

TEST_F(shortfall_tellers, tell_of_blocks_that_live) {
  nodes.refuse_policy = EPERM;
  const shortfall_teller of_another;
  void* const block = allocate_badly();
  const shortfall_teller teller;
  EXPECT_TRUE(told_by(teller));
  memory.free(block);
  EXPECT_FALSE(told_by(teller));
}

TEST_F(shortfall_tellers, tell_what_was_when_nobody_lived) {
  if (used_memory.telling_runtimes.load() > 0) GTEST_SKIP() << "skipped: another test of this process left a runtime";
  nodes.refuse_policy = EPERM;
  memory.free(allocate_badly());
  std::optional<shortfall_teller> next(std::in_place);
  EXPECT_TRUE(told_by(*next));
  next.reset();
  const shortfall_teller after_it;
  EXPECT_FALSE(told_by(after_it));
}

}  // namespace
