// What the affinity leaves of a machine, tested on descriptions: the tests tell hwloc to forget PUs, as for a live
// machine. Links hwloc, for functions that the library does not need.
#include <gtest/gtest.h>

#include "machine/described/hwloc_topology.hpp"

namespace {

using namespace nearfork;

machine restricted(const topology_owner& topology, const char* usable) {
  hwloc_topology_load(topology.get());
  const bitmap_owner pus = make_bitmap(topology.hwloc());
  hwloc_bitmap_list_sscanf(pus.get(), usable);
  return machine(read_topology(topology, "test", pus.get()));
}

machine described(const char* fixture, const char* usable) {
  const topology_owner topology(std::make_shared<const hwloc_library>());
  const std::string path = std::string(NEARFORK_SOURCE_DIR "/") + fixture + ".xml";
  if (hwloc_topology_set_xml(topology.get(), path.c_str()) != 0) throw std::runtime_error("no " + path);
  return restricted(topology, usable);
}

TEST(restricted_machine, keeps_remote_memory_for_what_it_is) {
  const machine left = described("machines/opteron-8380", "4-6");
  ASSERT_EQ(left.domains().size(), 1U);
  EXPECT_EQ(left.cores().size(), 3U);
  EXPECT_EQ(left.at(left.domains()[0].nodes.at(0)).os, os_index{1});
  ASSERT_EQ(left.nodes().size(), 4U);
  for (const memory_node& node : left.nodes()) EXPECT_EQ(node.kind, memory_kind::dram);
  EXPECT_TRUE(left.nodes()[0].domains.empty());
  EXPECT_GT(*left.node_distance(node_id{1}, node_id{0}), 10U);
}

TEST(restricted_machine, forgets_a_kind_of_core_that_it_may_not_use) {
  const machine left = described("machines/alder-lake", "0,2-3");
  ASSERT_EQ(left.core_kinds().size(), 1U);
  EXPECT_EQ(left.core_kinds()[0].name, "IntelCore");
  EXPECT_EQ(left.core_kinds()[0].cores, 2U);
  EXPECT_EQ(left.cores()[0].pus.size(), 1U);
  EXPECT_EQ(left.pus().size(), 3U);
}

TEST(restricted_machine, keeps_bandwidth_and_latency) {
  const machine left = described("machines/xeon-phi-7210", "64-67");
  ASSERT_EQ(left.domains()[0].nodes.size(), 2U);
  EXPECT_EQ(left.at(left.domains()[0].nodes[1]).kind, memory_kind::hbm);
  EXPECT_GT(*left.at(left.domains()[0].nodes[1]).bandwidth_mib_per_s,
            *left.at(left.domains()[0].nodes[0]).bandwidth_mib_per_s);
}

TEST(restricted_machine, of_no_pu_is_refused) {
  EXPECT_THROW((void)described("tests/machines/recorded/1pu-1p1c", "7"), error);
}

}  // namespace
