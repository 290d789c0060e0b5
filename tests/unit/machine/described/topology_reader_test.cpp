// What the affinity leaves of a machine, tested on descriptions: the tests tell hwloc to forget PUs, as for a live
// machine. Links hwloc, for functions that the library does not need.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

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

std::string text_of(const char* fixture) {
  std::ifstream file(std::string(NEARFORK_SOURCE_DIR "/") + fixture + ".xml");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(described_caches, of_no_known_size_are_left_out) {
  const std::regex size_of_l2("(type=\"L2Cache\"[^>]*cache_size=\")[0-9]+");
  const auto made = machine_from_xml(std::regex_replace(text_of("machines/opteron-8380"), size_of_l2, "$010"), "test");
  EXPECT_EQ(made->parts().remarks.levels_without_size, std::vector<unsigned>{2});
  ASSERT_EQ(made->domains()[0].caches.size(), 2U);
  EXPECT_EQ(made->domains()[0].caches[1].level, 3U);
}

TEST(described_caches, have_the_lines_that_the_file_says) {
  const auto lines_of = [](const char* change) {
    const std::regex line_of_l3("(type=\"L3Cache\"[^>]*cache_linesize=\")64");
    const std::string text = std::regex_replace(text_of("machines/opteron-8380"), line_of_l3, change);
    return machine_from_xml(text, "test")->parts().remarks.line_bytes;
  };
  EXPECT_EQ(lines_of("$0164"), std::vector<unsigned>{64});
  EXPECT_EQ(lines_of("$01128"), (std::vector<unsigned>{64, 128}));
}

TEST(described_caches, before_memory_are_summed_up) {
  const std::regex node("(<object type=\"NUMANode\"[^]*?</object>)");
  const std::string cache = R"(<object type="MemCache" cpuset="0x00000001" complete_cpuset="0x00000001" )"
                            R"(nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="999" cache_size="1048576" )"
                            R"(depth="1" cache_linesize="64" cache_associativity="1" cache_type="0">$1</object>)";
  const auto made =
      machine_from_xml(std::regex_replace(text_of("tests/machines/recorded/1pu-1p1c"), node, cache), "test");
  EXPECT_EQ(made->parts().remarks.memory_side_bytes, 1U << 20);
  EXPECT_EQ(made->nodes().size(), 1U);
  EXPECT_EQ(made->domains()[0].nodes.size(), 1U);
}

}  // namespace
