// The locality policies on machines that exist: cache domains of all shapes.
#include <gtest/gtest.h>

#include <string>

#include "machine/model/machine.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/policies/laws_policy.hpp"
#include "unit/plan/plans/planned_paths.hpp"
#include "unit/plan/policies/heat_profile.hpp"

namespace nearfork {
namespace {

constexpr std::uint64_t MiB = 1 << 20;

struct described {
  std::string name;
  std::size_t domains;
  std::uint64_t cache_bytes;  // of the cache of one domain's cores
};

const described machines[] = {
    {"machines/opteron-8380", 4, 6 * MiB},
    {"machines/xeon-x7560", 4, 24 * MiB},
    {"machines/opteron-6282", 8, 6 * MiB},
    {"machines/sgi-uv2000", 24, 20 * MiB},
    {"machines/xeon-phi-7210", 4, 8 * MiB},                                       // 1 MiB for each two of 16 cores
    {"tests/machines/recorded/224pu-2p4n14c2t-xeon-max-snc4-flat", 8, 28 * MiB},  // a quarter of 112 MiB
    {"machines/epyc-7763", 16, 32 * MiB},                                         // several domains to a package
    {"machines/epyc-9654", 24, 32 * MiB},
    {"machines/epyc-9755", 32, 32 * MiB},
    {"machines/xeon-8490h", 4, 115200 * MiB / 1024},
    {"tests/machines/recorded/8pu-1p2x4c-no-l3", 2, 12 * MiB},
    {"tests/machines/recorded/15pu-2p-asymmetric", 4, 0},  // domains and caches differ
};

machine load(const std::string& name) {
  return *machine_from_xml_file(NEARFORK_SOURCE_DIR "/" + name + ".xml");
}

TEST(described_machines, have_the_shared_caches_that_their_domains_have) {
  for (const described& one : machines) {
    const machine where = load(one.name);
    EXPECT_EQ(where.domains().size(), one.domains) << one.name;
    if (one.cache_bytes == 0) continue;
    for (const domain& each : where.domains()) EXPECT_EQ(shared_cache_bytes(each), one.cache_bytes) << one.name;
  }
}

// 1 GiB in 2^12 leaves, and no leaf spans more than two domains. Every subtree fits the cache of its domain, and every
// domain has exactly its part, except for the leaves at its borders.
TEST(described_machines, are_given_equal_parts_in_subtrees_that_fit) {
  const profile measured = heat_profile(12, 1024 * MiB);
  for (const described& one : machines) {
    const machine where = load(one.name);
    const plan made = laws_policy(laws_policy::subtrees::packed).next(where, measured, {});
    ASSERT_FALSE(made.empty()) << one.name;
    for (const met_task& root : subtrees_of(made, measured.tree())) {
      const std::uint64_t cache = shared_cache_bytes(where.at(domain_id{root.where.domain}));
      EXPECT_LE(measured.total(root.node).size_bytes, cache) << one.name;
    }
    const double part = 1.0 / static_cast<double>(where.domains().size());
    for (const double share : made.why().domain_shares) EXPECT_NEAR(share, part, 2.0 / 4096) << one.name;
  }
}

}  // namespace
}  // namespace nearfork
