#include "sim/machine/machine_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/model/cores_as_domains.hpp"
#include "sim/machine/cache_layout.hpp"
#include "tests/message_of.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork::sim {
namespace {

std::shared_ptr<const machine> recorded(const std::string& name) {
  return load_machine(NEARFORK_SOURCE_DIR "/" + name + ".xml");
}

TEST(machine_model, takes_latency_and_bandwidth_from_the_machine) {
  const auto knl = recorded("machines/xeon-phi-7210");
  const machine_model model = default_model(*knl);
  const domain& first = knl->domains()[0];
  const std::size_t dram = index_of_id(first.nodes.at(0));
  const std::size_t hbm = index_of_id(first.nodes.at(1));
  EXPECT_EQ(model.memory_ps[dram], 130'000U);
  EXPECT_EQ(model.memory_ps[hbm], 147'000U);
  EXPECT_EQ(first_touch_node(*knl, domain_id{0}), dram);
  EXPECT_GT(model.memory_ps[index_of_id(knl->domains()[1].nodes.at(0))], model.memory_ps[dram]);
  EXPECT_NEAR(static_cast<double>(model.node_line_ps[dram]), 64e12 / (21457.0 * (1 << 20)), 1);
  EXPECT_LT(model.node_line_ps[hbm], model.node_line_ps[dram]);
}

TEST(machine_model, takes_the_size_of_lines_from_the_machine) {
  const auto lines_of = [](std::vector<unsigned> described) {
    machine_parts parts = load_machine("package:2 [numa] l3:1 core:2 pu:1")->parts();
    parts.remarks.line_bytes = std::move(described);
    return default_model(machine(std::move(parts)));
  };
  EXPECT_EQ(lines_of({128}).line_bytes, 128U);
  EXPECT_EQ(lines_of({128}).node_line_ps[0], 6400U);
  for (const std::vector<unsigned>& other : {std::vector<unsigned>{}, {64, 128}, {96}, {4096}})
    EXPECT_EQ(lines_of(other).line_bytes, 64U);
}

TEST(machine_model, has_remote_memory_further_away_by_the_distance_table) {
  const auto opteron = recorded("machines/opteron-8380");
  const machine_model model = default_model(*opteron);
  for (std::uint32_t d = 0; d < 4; ++d)
    for (std::uint32_t node = 0; node < 4; ++node)
      EXPECT_EQ(model.memory_ps[d * 4 + node], d == node ? 90'000U : 180'000U);
  EXPECT_EQ(model.node_line_ps[0], 3200U);
}

machine_parts parts_of_two_packages() {
  return load_machine("package:2 [numa] l3:1 core:2 pu:1")->parts();
}

// hwloc's distances may be in any unit: a matrix of nanoseconds has 80 for local memory.
TEST(machine_model, measures_distances_by_what_is_local) {
  const auto remote_ps = [](std::vector<std::uint32_t> distances) {
    machine_parts parts = parts_of_two_packages();
    parts.node_distances = std::move(distances);
    return default_model(machine(std::move(parts))).memory_ps.at(1);
  };
  EXPECT_EQ(remote_ps({10, 21, 21, 10}), 189'000U);
  EXPECT_EQ(remote_ps({80, 140, 140, 80}), 157'500U);
  EXPECT_EQ(remote_ps({1, 2, 2, 1}), 180'000U);
  EXPECT_EQ(remote_ps({80, 40, 40, 80}), 90'000U) << "no nearer than local memory";
  EXPECT_EQ(remote_ps({0, 20, 20, 0}), 180'000U);
}

TEST(machine_model, refuses_latencies_and_bandwidths_that_no_model_may_have) {
  const auto refusal = [](auto change) {
    machine_parts parts = parts_of_two_packages();
    change(parts);
    return test::message_of([&] { (void)default_model(machine(std::move(parts))); });
  };
  EXPECT_THAT(refusal([](machine_parts& of) { of.node_distances = {10, 4294967295, 4294967295, 10}; }),
              testing::AllOf(testing::HasSubstr("4294967295"), testing::HasSubstr("1 to 100000 ns")));
  EXPECT_THAT(refusal([](machine_parts& of) { of.nodes[1].latency_ns = 18'446'744'073'709'551'615U; }),
              testing::AllOf(testing::HasSubstr("NUMA node 1"), testing::HasSubstr("18446744073709551615 ns")));
  EXPECT_THAT(refusal([](machine_parts& of) { of.nodes[0].bandwidth_mib_per_s = 4294967295; }),
              testing::AllOf(testing::HasSubstr("NUMA node 0"), testing::HasSubstr("4294967295 MiB/s")));
}

TEST(machine_model, finds_a_node_for_domains_without_memory) {
  const auto odd = recorded("tests/machines/recorded/8pu-2p4c-node-without-memory");
  for (std::uint32_t d = 0; d < odd->domains().size(); ++d)
    EXPECT_LT(first_touch_node(*odd, domain_id{d}), odd->nodes().size());
}

TEST(cache_layout, gives_each_core_its_own_and_each_domain_one) {
  const auto opteron = recorded("machines/opteron-8380");
  const cache_layout layout = caches_of(*opteron);
  EXPECT_EQ(layout.caches.size(), 16U + 16 + 4);
  EXPECT_EQ(layout.most_levels(), 3U);
  EXPECT_EQ(layout.of_core[0].back(), layout.of_core[3].back());
  EXPECT_NE(layout.of_core[3].back(), layout.of_core[4].back());
  EXPECT_NE(layout.of_core[0].front(), layout.of_core[1].front());
  EXPECT_EQ(layout.caches[layout.of_core[0].back()].size_bytes, std::uint64_t{6} << 20);
}

TEST(cache_layout, pairs_the_cores_of_a_tile) {
  const auto knl = recorded("machines/xeon-phi-7210");
  const cache_layout layout = caches_of(*knl);
  EXPECT_EQ(layout.of_core[0].back(), layout.of_core[1].back());
  EXPECT_NE(layout.of_core[1].back(), layout.of_core[2].back());
}

TEST(cache_layout, gives_big_and_little_cores_their_own_caches) {
  const auto hybrid = recorded("machines/alder-lake");
  const cache_layout layout = caches_of(*hybrid);
  const auto cache = [&](std::size_t core, std::size_t level) { return layout.of_core.at(core).at(level); };
  const auto kib = [&](std::size_t core, std::size_t level) {
    return layout.caches[cache(core, level)].size_bytes >> 10;
  };
  EXPECT_EQ(layout.caches.size(), 16U + 8 + 2 + 1);
  EXPECT_EQ(kib(0, 0), 48U);
  EXPECT_EQ(kib(0, 1), 1280U);
  EXPECT_NE(cache(0, 1), cache(1, 1)) << "each big core has its own";
  EXPECT_EQ(kib(8, 0), 32U);
  EXPECT_EQ(kib(8, 1), 2048U);
  EXPECT_EQ(cache(8, 1), cache(11, 1)) << "four little cores share one";
  EXPECT_NE(cache(11, 1), cache(12, 1));
  EXPECT_EQ(cache(0, 2), cache(15, 2)) << "all share the last one";
}

// Else a count of L2 would be one of L3 for some cores.
TEST(cache_layout, gives_cores_of_a_domain_the_same_levels) {
  machine_parts parts = recorded("machines/alder-lake")->parts();
  parts.cores[0].caches.erase(parts.cores[0].caches.begin());
  const cache_layout layout = caches_of(machine(std::move(parts)));
  for (const auto& path : layout.of_core) EXPECT_EQ(path.size(), 3U);
  EXPECT_EQ(layout.caches[layout.of_core[0][1]].size_bytes, std::uint64_t{2} << 20);
}

TEST(cache_layout, gives_cores_that_are_domains_their_own_caches) {
  const machine fine = cores_as_domains(*recorded("machines/alder-lake"));
  EXPECT_EQ(fine.domains()[0].caches[1].size_bytes, std::uint64_t{1280} << 10);
  EXPECT_EQ(fine.domains()[8].caches[1].shared_by_cores, 4U);
  const cache_layout layout = caches_of(fine);
  EXPECT_EQ(layout.caches[layout.of_core[0][1]].size_bytes, std::uint64_t{1280} << 10);
  EXPECT_EQ(layout.caches[layout.of_core[8][1]].size_bytes, std::uint64_t{512} << 10) << "a quarter of the cluster's";
}

// Sub-NUMA clustering: one L3, four domains behind it.
TEST(cache_layout, divides_a_cache_that_spans_domains) {
  const auto xeon_max = recorded("tests/machines/recorded/224pu-2p4n14c2t-xeon-max-snc4-flat");
  const cache_layout layout = caches_of(*xeon_max);
  const cache_level& whole = xeon_max->domains()[0].caches.back();
  const std::uint64_t cores = xeon_max->domains()[0].cores.size();
  ASSERT_GT(whole.shared_by_cores, cores);
  EXPECT_EQ(layout.caches[layout.of_core[0].back()].size_bytes, whole.size_bytes / whole.shared_by_cores * cores);
}

TEST(cache_layout, knows_every_recorded_machine) {
  for (const machine& one : machines_for_tests()) EXPECT_EQ(caches_of(one).of_core.size(), one.cores().size());
}

}  // namespace
}  // namespace nearfork::sim
