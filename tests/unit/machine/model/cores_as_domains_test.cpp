#include "machine/model/cores_as_domains.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace nearfork;

TEST(cores_as_domains, makes_each_core_a_domain_and_keeps_all_numbers) {
  const auto whole = load_machine("package:1 [numa(memory=4GiB)] l3:1(size=8MiB) core:4 pu:2");
  const machine fine = cores_as_domains(*whole);
  EXPECT_FALSE(whole->cores_are_domains());
  EXPECT_TRUE(fine.cores_are_domains());
  ASSERT_EQ(fine.domains().size(), 4U);
  EXPECT_EQ(fine.pus().size(), 8U);
  for (std::uint32_t d = 0; d < 4; ++d) {
    const domain& one = fine.domains()[d];
    ASSERT_EQ(one.cores.size(), 1U);
    EXPECT_EQ(fine.at(one.cores[0]).domain, domain_id{d});
    EXPECT_EQ(fine.at(one.cores[0]).pus, whole->at(one.cores[0]).pus);
    EXPECT_EQ(std::ranges::count(fine.at(one.package).domains, domain_id{d}), 1);
    ASSERT_EQ(one.nodes.size(), 1U);
    EXPECT_EQ(std::ranges::count(fine.at(one.nodes[0]).domains, domain_id{d}), 1);
  }
}

}  // namespace
