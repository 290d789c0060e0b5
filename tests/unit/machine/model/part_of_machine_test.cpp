#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include <nearfork/error.hpp>

#include "machine/model/part_of_machine.hpp"

namespace {

using namespace nearfork;

/// Two packages of two domains each; three cores per domain, two PUs per core.
const machine& whole() {
  static const auto made = load_machine("package:2 [numa(memory=4GiB)] l3:2 core:3 pu:2");
  return *made;
}

TEST(part_of_machine, keeps_what_belongs_to_the_domains_that_are_kept) {
  const std::vector<domain_id> second{domain_id{1}, domain_id{2}};
  const machine part = with_domains(whole(), second);
  EXPECT_EQ(part.packages().size(), 2U);
  EXPECT_EQ(part.domains().size(), 2U);
  EXPECT_EQ(part.cores().size(), 6U);
  EXPECT_EQ(part.pus().size(), 12U);
  EXPECT_EQ(part.nodes().size(), 2U) << "memory stays";
  EXPECT_EQ(part.at(pu_id{0}).os, whole().at(whole().at(whole().at(domain_id{1}).cores[0]).pus[0]).os);
  EXPECT_EQ(part.present_pus(), 24U);
}

TEST(part_of_machine, refuses_to_keep_nothing) {
  EXPECT_THROW((void)with_domains(whole(), {}), error);
}

RC_GTEST_PROP(part_of_machine, has_ids_that_agree_with_each_other, (std::uint8_t chosen)) {
  std::vector<domain_id> kept;
  for (std::uint32_t d = 0; d < 4; ++d)
    if ((chosen >> d & 1U) != 0) kept.push_back(domain_id{d});
  RC_PRE(!kept.empty());
  const machine part = with_domains(whole(), kept);
  RC_ASSERT(part.domains().size() == kept.size());
  for (std::uint32_t d = 0; d < part.domains().size(); ++d) {
    for (const core_id id : part.domains()[d].cores) RC_ASSERT(part.at(id).domain == domain_id{d});
    const auto& siblings = part.at(part.domains()[d].package).domains;
    RC_ASSERT(std::ranges::count(siblings, domain_id{d}) == 1);
    for (const node_id id : part.domains()[d].nodes)
      RC_ASSERT(std::ranges::count(part.at(id).domains, domain_id{d}) == 1);
  }
  for (std::uint32_t c = 0; c < part.cores().size(); ++c)
    for (const pu_id id : part.cores()[c].pus) RC_ASSERT(part.at(id).core == core_id{c});
}

}  // namespace
