#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>

#include <nearfork/error.hpp>

#include "machine/live/pinning.hpp"
#include "machine/model/machine.hpp"
#include "tests/hwloc_leaks.hpp"
#include "tests/message_of.hpp"

namespace {

using namespace nearfork;
using nearfork::test::message_of;

testing::AssertionResult mentions(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* const word : words)
    if (text.find(word) == std::string::npos)
      return testing::AssertionFailure() << "\"" << text << "\" does not mention " << word;
  return testing::AssertionSuccess();
}

/// The text of opteron-8380.xml with `before` replaced by `after`.
std::string edited(const std::string& before, const std::string& after) {
  std::ifstream file(NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto at = text.find(before);
  if (at == std::string::npos) throw std::logic_error("nothing to edit: " + before);
  return text.replace(at, before.size(), after);
}

TEST(machine, counts_what_a_synthetic_string_describes) {
  const auto made = load_machine("package:2 [numa(memory=4GiB)] l3:2 core:3 pu:2");
  EXPECT_EQ(made->packages().size(), 2U);
  EXPECT_EQ(made->domains().size(), 4U);
  EXPECT_EQ(made->cores().size(), 12U);
  EXPECT_EQ(made->pus().size(), 24U);
  EXPECT_EQ(made->nodes().size(), 2U);
  EXPECT_EQ(made->nodes()[0].capacity_bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(made->suggested_workers(), 12U);
  EXPECT_EQ(made->provenance(), "synthetic package:2 [numa(memory=4GiB)] l3:2 core:3 pu:2");
}

TEST(machine, knows_where_two_pus_meet) {
  const auto made = load_machine("package:2 group:2 [numa] l3:2 core:2 pu:2");
  const auto distance = [&](std::uint32_t a, std::uint32_t b) { return made->distance(pu_id{a}, pu_id{b}); };
  EXPECT_EQ(distance(0, 0), steal_distance::core);
  EXPECT_EQ(distance(0, 1), steal_distance::core);
  EXPECT_EQ(distance(0, 2), steal_distance::cache);
  EXPECT_EQ(distance(0, 4), steal_distance::node);
  EXPECT_EQ(distance(0, 8), steal_distance::package);
  EXPECT_EQ(distance(0, 16), steal_distance::machine);
}

TEST(machine, meets_in_the_closest_node_not_in_a_tier_that_all_share) {
  const auto made = load_machine("package:1 [numa(memory=1GiB)] group:2 [numa(memory=2GiB)] l3:2 core:2 pu:1");
  EXPECT_EQ(made->distance(pu_id{0}, pu_id{2}), steal_distance::node);
  EXPECT_EQ(made->distance(pu_id{0}, pu_id{4}), steal_distance::package);
  ASSERT_EQ(made->domains()[0].nodes.size(), 2U);
  EXPECT_EQ(made->at(made->domains()[0].nodes[0]).capacity_bytes, std::uint64_t{2} << 30) << "its own node comes first";
}

TEST(machine, splits_a_cache_that_spans_memory_nodes) {
  const auto made = load_machine("package:1 l3:1 group:2 [numa(memory=8GiB)] [numa(memory=1GiB)] l2:3 core:1 pu:2");
  ASSERT_EQ(made->domains().size(), 2U);
  for (const domain& one : made->domains()) {
    EXPECT_EQ(one.cores.size(), 3U);
    EXPECT_EQ(one.nodes.size(), 2U);
    EXPECT_EQ(one.caches.back().level, 3U);
    EXPECT_EQ(one.caches.back().shared_by_cores, 6U);
  }
  EXPECT_EQ(made->distance(pu_id{0}, pu_id{6}), steal_distance::package);
}

TEST(machine, has_local_memory_only_where_there_is_some) {
  const auto made = load_machine("package:2 [numa(memory=0)] [numa(memory=1GiB)] core:2 pu:1");
  ASSERT_EQ(made->domains()[0].nodes.size(), 1U);
  EXPECT_EQ(made->domains()[0].nodes[0], node_id{1});
  EXPECT_EQ(made->domains()[0].home, node_id{0});
  EXPECT_EQ(load_machine("package:2 [numa(memory=0)] core:2 pu:1")->domains()[0].nodes.size(), 1U)
      << "no node says its size";
}

TEST(machine, takes_only_nodes_with_cores_of_their_own_for_dram) {
  const auto made = load_machine("[numa(memory=4GiB)] package:2 [numa(memory=1GiB)] core:2 pu:1");
  for (const memory_node& node : made->nodes())
    EXPECT_EQ(node.kind, node.domains.size() == 1 ? memory_kind::dram : memory_kind::device);
  const auto beside = load_machine("package:1 [numa(memory=1GiB)] [numa(memory=1GiB)] core:2 pu:1");
  EXPECT_EQ(beside->nodes()[0].kind, memory_kind::dram);
  EXPECT_EQ(beside->nodes()[1].kind, memory_kind::device);
}

TEST(machine, makes_domains_of_the_last_level_cache_or_of_what_there_is) {
  EXPECT_EQ(load_machine("package:1 l3:4 core:2 pu:1")->domains().size(), 4U) << "chiplets";
  EXPECT_EQ(load_machine("package:1 l2:2 core:4 pu:1")->domains().size(), 2U) << "clusters without level 3";
  EXPECT_EQ(load_machine("package:2 l2:8 core:1 pu:1")->domains().size(), 2U) << "private caches alone";
  EXPECT_EQ(load_machine("package:3 core:4 pu:1")->domains().size(), 3U) << "no cache at all";
  EXPECT_EQ(load_machine("core:4 pu:1")->domains().size(), 1U) << "no package";
  EXPECT_EQ(load_machine("pu:1")->cores().size(), 1U) << "no core";
}

TEST(machine, grants_no_more_workers_than_the_quota_rounded_up) {
  machine_parts parts;
  parts.packages.resize(1);
  parts.domains.resize(1);
  parts.cores.resize(8);
  parts.cpu_quota = 2.1;
  EXPECT_EQ(machine(parts).suggested_workers(), 3U);
  parts.cpu_quota = 0.05;
  EXPECT_EQ(machine(parts).suggested_workers(), 1U);
  parts.cpu_quota = 99;
  EXPECT_EQ(machine(parts).suggested_workers(), 8U);
}

TEST(machine, without_cores_is_refused) {
  const auto refusal_of = [](machine_source from) {
    machine_parts parts;
    parts.source = from;
    return message_of([&] { (void)machine(parts); });
  };
  EXPECT_TRUE(mentions(refusal_of(machine_source::live), {"no core", "taskset"}));
  EXPECT_TRUE(mentions(refusal_of(machine_source::xml_file), {"no core", "PU"}));
}

TEST(live_machine, is_read_once_and_has_cores_and_memory) {
  EXPECT_EQ(live_machine(), live_machine());
  EXPECT_EQ(load_machine(""), live_machine());
  EXPECT_GE(live_machine()->cores().size(), 1U);
  EXPECT_GE(live_machine()->suggested_workers(), 1U);
  EXPECT_TRUE(mentions(live_machine()->provenance(), {"live", "hwloc"}));
}

TEST(pinning, holds_the_thread_or_says_why_not) {
  EXPECT_EQ(pin_this_thread(live_machine()->pus().front().os), 0);
  EXPECT_EQ(pin_this_thread(os_index{1'000'000}), EINVAL);
}

TEST(load_machine, says_what_is_wrong_and_what_to_do) {
  EXPECT_TRUE(
      mentions(message_of([] { (void)load_machine("/nowhere/box.xml"); }), {"/nowhere/box.xml", "No such file"}));
  EXPECT_TRUE(mentions(message_of([] { (void)load_machine("/nowhere/box"); }), {"/nowhere/box", ".xml"}));
  EXPECT_TRUE(mentions(message_of([] { (void)load_machine("pakcage:2"); }), {"pakcage:2", "package:2 l3:1"}));
  EXPECT_TRUE(mentions(message_of([] { (void)load_machine("package:100000 core:100000"); }), {"8192"}));
  EXPECT_TRUE(mentions(message_of([] { (void)load_machine(std::string(5000, '1')); }), {"longer than 4096"}));
  EXPECT_TRUE(mentions(message_of([] { (void)machine_from_xml_file("/tmp"); }), {"/tmp"}));
}

TEST(load_machine, bounds_what_hwloc_would_build) {
  EXPECT_TRUE(mentions(message_of([] { (void)load_machine("8192"); }), {"512", "groups"}));
  EXPECT_TRUE(mentions(message_of([] { (void)load_machine("16 512 1 1 1 1"); }), {"32768", "levels"}));
  EXPECT_TRUE(mentions(
      message_of([] { (void)load_machine("[numa][numa][numa][numa][numa][numa][numa][numa][numa] core:2 pu:1"); }),
      {"8 kinds"}));
  for (const char* const text :
       {"512 16 1 1", "512 4 1", "package:512 numa:16 core:1 pu:1", "package:256 node:8(memory=1GB) pu:1",
        "group:4 package:512 [numa(memory=1GB)] core:2 pu:1", "package:512[NUMANode] core:2[numa] pu:1"})
    EXPECT_TRUE(mentions(message_of([&] { (void)load_machine(text); }), {"more than 1024 NUMA nodes"})) << text;
  EXPECT_EQ(load_machine("package:4(indexes=3,1,0,2) [numa(memory=2048)] core:64 pu:8")->nodes().size(), 4U);
  EXPECT_EQ(load_machine("2 3 40 8")->nodes().size(), 6U) << "packages, nodes, cores, PUs";
  EXPECT_EQ(load_machine("package:16 core:64 pu:4")->pus().size(), 4096U);
}

TEST(load_machine, refuses_numbers_that_cannot_be) {
  EXPECT_TRUE(mentions(message_of([] {
                         (void)machine_from_xml(edited("type=\"PU\" os_index=\"1\"", "type=\"PU\" os_index=\"0\""),
                                                "twice.xml");
                       }),
                       {"twice.xml", "two of PU 0"}));
  EXPECT_TRUE(mentions(
      message_of([] { (void)machine_from_xml(edited("os_index=\"1\"", "os_index=\"4294967290\""), "far.xml"); }),
      {"far.xml", "4294967290", "at most"}));
}

/// Such as git makes on Windows, and an editor there.
TEST(load_machine, takes_files_with_the_line_ends_and_the_first_bytes_of_windows) {
  const std::string plain = edited("type", "type");
  std::string text = "\xEF\xBB\xBF";
  for (const char c : plain) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(machine_from_xml(text, "box.xml")->summary(), machine_from_xml(plain, "box.xml")->summary());
}

/// Where hwloc's plugin for libxml is installed, it refuses such a text, because it is no XML.
TEST(load_machine, keeps_what_could_harm_a_terminal_out_of_names) {
  std::string model = "refused";
  const std::string refusal =
      message_of([&] { model = machine_from_xml(edited("Quad-Core AMD", "\x1b[31mQuad\xff"), "red.xml")->model(); });
  if (refusal == "no error") EXPECT_EQ(model, "?[31mQuad? Opteron 8380");
  else EXPECT_TRUE(mentions(refusal, {"red.xml", "not XML"}));
}

TEST(load_machine, refuses_a_pu_index_that_is_given_twice) {
  for (const char* const text :
       {"package:2 core:2 pu:1(indexes=0,0,1,1)", "pu:4(indexes=3,1,2,3)", "2 2(indexes=0,1,2,0)"})
    try {
      (void)load_machine(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const error& refused) {
      EXPECT_NE(std::string(refused.what()).find("has two PUs of the index "), std::string::npos) << refused.what();
    }
  for (const char* const text :
       {"package:2 pu:2(indexes=0,2,1,3)", "package:2(indexes=1,0) pu:2", "pu:4(indexes=2*2:1*2)"})
    EXPECT_EQ(load_machine(text)->pus().size(), 4U) << text;
}

/// hwloc says nothing of any of these: it counts on from 0, or takes another size.
TEST(load_machine, refuses_attributes_that_hwloc_passes_over_or_reads_otherwise) {
  for (const char* const text : {"pu:2(indexes=1,01)",
                                 "pu:2(indexes=5)",
                                 "pu:2(indexes=,)",
                                 "pu:2(indexes=)",
                                 "pu:2(indexes=1,x)",
                                 "pu:2(indexes=0x1,1)",
                                 "pu:2(indexes=-1,1)",
                                 "pu:2(indexes=99999999,1)",
                                 "numa:2(indexes=0,1,2) pu:2",
                                 "package:2 [numa(indexes=4,5,6)] pu:1",
                                 "2 2(indexes=0,1,2)",
                                 "l3:1(size=99999999999999999999999) pu:2",
                                 "l3:1(size=0) pu:2",
                                 "l3:1(size=16777216TB) pu:2",
                                 "l3:1(size=1025GiB) pu:2",
                                 "l3:1(size=-5) pu:2",
                                 "l3:1(size=010) pu:2",
                                 "l3:1(size=0xffffffffffff) pu:2",
                                 "numa:2(memory=18446744073709551615) pu:2",
                                 "package:2 [numa(memory=9000TB)] pu:1"}) {
    const std::string_view shown(text);
    const std::size_t end = shown.find(')');
    const std::size_t begin = shown.find_last_of(" [", shown.find('(')) + 1;
    const std::string attribute(shown.substr(begin, end + 1 - begin));
    EXPECT_TRUE(mentions(message_of([&] { (void)load_machine(text); }), {text, " says ", attribute.c_str()})) << text;
  }
  for (const char* const text : {"l3:1(size=1TiB) pu:2", "numa:1(memory=8192TiB) pu:2", "core:2(indexes=7,7) pu:1",
                                 "pu:2(indexes=1,0)", "l3:1(size=0x100000) pu:2", "numa:2(memory=1GB indexes=1,0) pu:1",
                                 "2 1(indexes=3,2)", "package:1 [numa(memory=0)] [numa(memory=1GiB)] pu:2"})
    EXPECT_EQ(load_machine(text)->pus().size(), 2U) << text;
}

TEST(load_machine, refuses_xml_with_impossible_sizes) {
  EXPECT_TRUE(mentions(
      message_of([] { (void)machine_from_xml(edited("cache_size=\"", "cache_size=\"99999999999999"), "cache.xml"); }),
      {"cache.xml has an L", "at most 1 TiB"}));
  EXPECT_TRUE(mentions(
      message_of([] { (void)machine_from_xml(edited("local_memory=\"", "local_memory=\"99999999"), "node.xml"); }),
      {"node.xml has", "on NUMA node", "at most 8 PiB"}));
}

TEST(load_machine, refuses_counts_that_hwloc_reads_otherwise_than_people) {
  for (const char* const text :
       {"core:010 pu:1", "core:-1 pu:1", "core:0x10 pu:1", "core:+2 pu:1", "core: pu:1", "package:2x core:1 pu:1",
        "02 1", "-1 2", "+1 2", "core:18446744073709551616 pu:1", "core:0x10000000 pu:1"})
    try {
      (void)load_machine(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const error& refused) {
      EXPECT_NE(std::string(refused.what()).find("without sign and leading zeros"), std::string::npos)
          << refused.what();
    }
  EXPECT_EQ(load_machine("2 2")->cores().size(), 4U);
  EXPECT_EQ(
      load_machine("package:2 [numa(memory=1GiB)] l3:1(size=0x100000) core:2 pu:1(indexes=0,2,1,3)")->cores().size(),
      4U);
}

TEST(load_machine, says_what_to_do_with_a_pipe) {
  EXPECT_TRUE(mentions(message_of([&] { (void)load_machine("/dev/fd/63"); }),
                       {"does not end in .xml", "write it to such a file, also where it comes from a pipe"}));
}

TEST(load_machine, takes_what_lstopo_prints) {
  const auto made = load_machine("Package:2 [NUMANode(memory=132955242496 indexes=0,8)] Core:1 PU:4");
  EXPECT_EQ(made->pus().size(), 8U);
  ASSERT_EQ(made->nodes().size(), 2U);
  EXPECT_EQ(made->nodes()[1].os, os_index{8});
  for (const char* const text :
       {"core:16(indexes=0 core:1000000", "core:16(x) core:1000000", "core:16((x) core:1000000"})
    EXPECT_TRUE(mentions(message_of([&] { (void)load_machine(text); }), {"more than 8192 PUs"})) << text;
}

TEST(load_machine, refuses_xml_that_is_none_or_is_cut_off) {
  for (const char* const text :
       {"", "x", "<", "<?xml version=\"1.0\"?>", "<topology></topology>",
        "<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Machine\"", "<html><body/></html>"})
    EXPECT_TRUE(mentions(message_of([&] { (void)machine_from_xml(text, "bad.xml"); }), {"bad.xml", "lstopo"})) << text;
  std::ifstream whole(NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml");
  const std::string text{std::istreambuf_iterator<char>(whole), {}};
  ASSERT_GT(text.size(), 1000U);
  for (std::size_t length = 0; length + 30 < text.size(); length += 97)
    EXPECT_TRUE(mentions(message_of([&] { (void)machine_from_xml(text.substr(0, length), "cut.xml"); }), {"cut.xml"}))
        << length;
}

TEST(load_machine, says_that_a_later_hwloc_wrote_xml) {
  std::ifstream whole(NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml");
  std::string text{std::istreambuf_iterator<char>(whole), {}};
  const auto at = text.find("<topology version=\"2.");
  ASSERT_NE(at, std::string::npos);
  text[text.find('2', at)] = '3';
  EXPECT_TRUE(mentions(message_of([&] { (void)machine_from_xml(text, "later.xml"); }),
                       {"later.xml", "hwloc 3 wrote it", "lstopo --export-xml-flags v2"}));
}

/// Found by fuzzing: hwloc 2.9 dereferences null where a node set is missing. Its plugin for libxml refuses the text.
TEST(load_machine, survives_what_crashes_hwloc) {
  std::ifstream whole(NEARFORK_SOURCE_DIR "/tests/machines/recorded/1pu-1p1c.xml");
  std::string text{std::istreambuf_iterator<char>(whole), {}};
  const std::string attribute = "complete_nodeset=";
  const auto at = text.find(attribute);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, attribute.size(), std::string(attribute.size(), ' '));
  const std::string refusal = message_of([&] { (void)machine_from_xml(text, "hole.xml"); });
  EXPECT_TRUE(mentions(refusal, {"hole.xml", "malformed"}) || mentions(refusal, {"hole.xml", "not XML"})) << refusal;
}

RC_GTEST_PROP(synthetic_machine, holds_together, ()) {
  const auto packages = *rc::gen::inRange(1U, 5U);
  const auto domains = *rc::gen::inRange(1U, 4U);
  const auto cores = *rc::gen::inRange(1U, 7U);
  const auto pus = *rc::gen::inRange(1U, 3U);
  const auto made = load_machine("package:" + std::to_string(packages) + " l3:" + std::to_string(domains) +
                                 " core:" + std::to_string(cores) + " pu:" + std::to_string(pus));
  RC_ASSERT(made->domains().size() == packages * domains);
  RC_ASSERT(made->cores().size() == packages * domains * cores);
  RC_ASSERT(made->pus().size() == packages * domains * cores * pus);
  const auto a = pu_id{*rc::gen::inRange(0U, packages * domains * cores * pus)};
  const auto b = pu_id{*rc::gen::inRange(0U, packages * domains * cores * pus)};
  const auto c = pu_id{*rc::gen::inRange(0U, packages * domains * cores * pus)};
  RC_ASSERT(made->distance(a, b) == made->distance(b, a));
  // A distance is the level of a tree where two PUs meet. So of three distances the two largest are equal.
  RC_ASSERT(made->distance(a, c) <= std::max(made->distance(a, b), made->distance(b, c)));
}

}  // namespace
