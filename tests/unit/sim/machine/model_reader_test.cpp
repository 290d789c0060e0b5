#include "sim/machine/model_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <regex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "machine/described/named_machines.hpp"
#include "sim/machine/model_text.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Text for two packages of two cores with 64 KiB of L3: all values that such a machine needs.
std::string text_for_two_packages() {
  const std::pair<const char*, const char*> values[] = {
      {"line_bytes", "64"},      {"page_bytes", "4096"},     {"core_ghz", "2"},           {"work_per_cycle", "1"},
      {"misses_at_once", "4"},   {"hit_cycles L1", "4"},     {"hit_cycles L2", "12"},     {"hit_ns L3", "20"},
      {"ways L1", "8"},          {"ways L2", "8"},           {"ways L3", "16"},           {"memory_ns DRAM 10", "80"},
      {"node_gb_s DRAM", "32"},  {"seats", "packages"},      {"links bus", "0-1"},        {"link_gb_s bus", "6.4"},
      {"link_ns bus", "45"},     {"invalidation_ns", "100"}, {"core_busy_w", "10"},       {"core_idle_w", "1"},
      {"package_w", "20"},       {"fork_ns", "3"},           {"planned_fork_ns", "60"},   {"steal_ns core", "80"},
      {"steal_ns cache", "120"}, {"steal_ns node", "250"},   {"steal_ns package", "300"}, {"steal_ns machine", "500"},
      {"failed_look_ns", "20"},  {"pool_ns", "100"},         {"suspend_ns", "50"},        {"resume_ns", "100"},
      {"notice_ns", "100"},      {"spin_ns", "50000"},       {"wake_ns", "20000"},        {"notify_ns", "1500"}};
  std::string text;
  for (const auto& [key, value] : values) text += std::string(key) + " = " + value + "  # estimate: made up\n";
  return text;
}

const machine& two_packages() {
  static const machine made = machine_of(2, 2, 64 << 10);
  return made;
}

std::string without(std::string text, const std::string& key) {
  const auto at = text.find(key + " = ");
  return text.erase(at, text.find('\n', at) - at + 1);
}
std::string with(const std::string& key, const std::string& value) {
  std::string text = text_for_two_packages();
  if (text.find(key + " = ") != text.npos) text = without(text, key);
  return text + key + " = " + value + " # estimate: made up\n";
}

std::string complaint(const std::string& text, const machine& where = two_packages()) {
  try {
    (void)load_model(where, text, "box.model");
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(model_reader, reads_every_value_in_its_unit) {
  const machine_model made = load_model(two_packages(), text_for_two_packages());
  ASSERT_EQ(made.kinds.size(), 1U);
  EXPECT_EQ(made.kinds[0].mhz, 2000U);
  EXPECT_EQ(made.kinds[0].hit_ps, (std::vector<std::uint64_t>{2'000, 6'000, 20'000})) << "cycles at 2 GHz, and time";
  EXPECT_EQ(made.kinds[0].memory_level_parallelism, 4);
  EXPECT_EQ(made.kinds[0].scattered_parallelism, 4) << "as in a sweep if the model does not say";
  EXPECT_EQ(made.kinds[0].associativity, (std::vector<std::uint32_t>{8, 8, 16}));
  EXPECT_EQ(made.node_line_ps, (std::vector<std::uint64_t>{2'000, 2'000})) << "64 bytes at 32 GB/s";
  ASSERT_EQ(made.between.links.size(), 1U);
  EXPECT_EQ(made.between.links[0].line_ps, 10'000U) << "64 bytes at 6.4 GB/s";
  EXPECT_EQ(made.memory_ps, (std::vector<std::uint64_t>{80'000, 125'000, 125'000, 80'000}))
      << "remote memory: and the link";
  EXPECT_EQ(made.invalidation_ps, 100'000U);
  ASSERT_TRUE(made.power);
  EXPECT_EQ(made.power->cores[0].busy_mw, 10'000U);
  EXPECT_EQ(made.power->package_mw, 20'000U);
  EXPECT_EQ(made.costs.steal_ps, (std::array<std::uint64_t, 5>{80'000, 120'000, 250'000, 300'000, 500'000}));
  EXPECT_EQ(made.costs.notify_ps, 1'500'000U);
}

TEST(model_reader, knows_what_compilers_and_branches_do_where_that_is_said) {
  EXPECT_EQ(load_model(two_packages(), text_for_two_packages()).kinds[0].vector_work, 1);
  EXPECT_EQ(load_model(two_packages(), text_for_two_packages()).kinds[0].wrong_guess_ps, 6'000U);
  const std::string more =
      text_for_two_packages() + "vector_work = 2.5 # estimate: x\nwrong_guess_ns = 4 # estimate: x\n";
  EXPECT_EQ(load_model(two_packages(), more).kinds[0].vector_work, 2.5);
  EXPECT_EQ(load_model(two_packages(), more).kinds[0].wrong_guess_ps, 4'000U);
}

TEST(model_reader, knows_an_exclusive_last_level) {
  EXPECT_EQ(load_model(two_packages(), text_for_two_packages()).exclusive_level, 0U);
  EXPECT_EQ(load_model(two_packages(), with("exclusive", "L3")).exclusive_level, 3U);
  EXPECT_THAT(complaint(with("exclusive", "L2")), AllOf(HasSubstr("only the last level"), HasSubstr("L1, L2, L3")));
  EXPECT_THAT(complaint(with("exclusive", "yes")), HasSubstr("only the last level"));
}

TEST(model_reader, knows_memory_side_caches) {
  EXPECT_TRUE(load_model(two_packages(), text_for_two_packages()).side_caches.empty());
  const std::string sizes = text_for_two_packages() + "side_cache_mib DRAM = 16 # estimate: x\n";
  const std::string speeds = sizes + "side_cache_gb_s DRAM = 64 # estimate: x\nside_cache_gb_s 1 = 32 # estimate: x\n";
  const std::string whole =
      speeds + "side_cache_ns DRAM 10 = 50 # estimate: x\nside_cache_ns DRAM 20 = 95 # estimate: x\n";
  const machine_model made = load_model(two_packages(), whole);
  ASSERT_EQ(made.side_caches.size(), 2U);
  EXPECT_EQ(made.side_caches[0].size_bytes, 16U << 20);
  EXPECT_EQ(made.side_caches[0].line_ps, 1'000U);
  EXPECT_EQ(made.side_caches[1].line_ps, 2'000U);
  EXPECT_EQ(made.side_ps, (std::vector<std::uint64_t>{50'000, 95'000, 95'000, 50'000}));
  EXPECT_THAT(complaint(sizes), HasSubstr("does not say side_cache_gb_s DRAM"));
  EXPECT_THAT(complaint(speeds), HasSubstr("does not say side_cache_ns DRAM 10"));
  EXPECT_THAT(complaint(with("side_cache_gb_s DRAM", "64")), HasSubstr("about nothing"));
}

TEST(model_reader, knows_how_hardware_threads_share_a_core) {
  EXPECT_EQ(load_model(two_packages(), text_for_two_packages()).kinds[0].smt_speedup, 1.2);
  EXPECT_EQ(load_model(two_packages(), with("smt_speedup", "1.5")).kinds[0].smt_speedup, 1.5);
  EXPECT_THAT(complaint(with("smt_speedup", "0.9")), HasSubstr("within 1 to 16"));
}

TEST(model_reader, prefers_what_is_said_of_a_pair_of_nodes_to_what_is_said_of_a_distance) {
  const std::string far = text_for_two_packages() + "memory_ns DRAM 20 = 200 # estimate: x\n";
  EXPECT_EQ(load_model(two_packages(), far).memory_ps, (std::vector<std::uint64_t>{80'000, 200'000, 200'000, 80'000}));
  const std::string pair = far + "memory_ns 1 0 = 210 # estimate: x\n";
  EXPECT_EQ(load_model(two_packages(), pair).memory_ps, (std::vector<std::uint64_t>{80'000, 200'000, 210'000, 80'000}));
}

TEST(model_reader, takes_the_cost_of_a_moved_page_where_it_is_said_and_memory_from_the_machine) {
  EXPECT_EQ(load_model(two_packages(), text_for_two_packages()).costs.move_page_ps, 2'500'000U);
  const machine_model made = load_model(two_packages(), text_for_two_packages() + "move_page_ns = 700 # estimate: x\n");
  EXPECT_EQ(made.costs.move_page_ps, 700'000U);
  const machine_model finer =
      load_model(two_packages(), text_for_two_packages() + "move_page_ns = 1.84 # estimate: x\n");
  EXPECT_EQ(finer.costs.move_page_ps, 1'840U) << "costs are no whole nanoseconds";
  EXPECT_TRUE(made.node_bytes.empty()) << "this machine does not say";
  const auto sized = load_machine("package:2 [numa(memory=3MiB)] core:1 pu:1");
  EXPECT_EQ(default_model(*sized).node_bytes, (std::vector<std::uint64_t>(2, 3 << 20)));
}

TEST(model_reader, adds_further_links_to_the_memory_of_a_distance) {
  const machine three = machine_of(3, 1, 64 << 10);
  const std::string text =
      without(with("links bus", "0-1 1-2"), "link_ns bus") + "memory_ns DRAM 20 = 200 # estimate: x\n";
  EXPECT_EQ(load_model(three, text).memory_ps,
            (std::vector<std::uint64_t>{80'000, 200'000, 200'000, 200'000, 80'000, 200'000, 200'000, 200'000, 80'000}));
  const machine_model further = load_model(three, text + "further_link_ns = 25 # estimate: x\n");
  EXPECT_EQ(further.memory_ps,
            (std::vector<std::uint64_t>{80'000, 200'000, 225'000, 200'000, 80'000, 200'000, 225'000, 200'000, 80'000}));
  EXPECT_EQ(further.between.further_link_ps, 25'000U);
  const std::string pair = text + "further_link_ns = 25 # estimate: x\nmemory_ns 0 2 = 210 # estimate: x\n";
  EXPECT_EQ(load_model(three, pair).memory_ps[2], 210'000U) << "said of the pair";
}

TEST(model_reader, names_what_is_missing) {
  const std::string whole = text_for_two_packages();
  ASSERT_EQ(complaint(whole), "accepted");
  const std::regex key_of_line("(.*) = .*");
  for (std::size_t at = 0; at < whole.size(); at = whole.find('\n', at) + 1) {
    std::smatch line;
    const std::string first = whole.substr(at, whole.find('\n', at) - at);
    ASSERT_TRUE(std::regex_match(first, line, key_of_line));
    const std::string key = line[1];
    if (key == "link_ns bus") continue;  // then memory_ns of the distance is
    const std::string noun = key == "links bus" ? "links" : key;
    EXPECT_THAT(complaint(without(whole, key)), AllOf(HasSubstr("does not say"), HasSubstr(noun))) << key;
  }
  EXPECT_THAT(complaint(without(whole, "link_ns bus")), HasSubstr("does not say memory_ns DRAM 20"));
}

TEST(model_reader, refuses_absurd_values) {
  for (const char* const absurd : {"0", "-1", "inf", "nan", "1e999", "ten", "3 GB", "0x10", "010", "+8", ".5", "8,"}) {
    EXPECT_THAT(complaint(with("node_gb_s DRAM", absurd)), HasSubstr("box.model:")) << absurd;
    EXPECT_THAT(complaint(with("link_gb_s bus", absurd)), HasSubstr("box.model:")) << absurd;
    EXPECT_THAT(complaint(with("core_ghz", absurd)), HasSubstr("box.model:")) << absurd;
    EXPECT_THAT(complaint(with("ways L1", absurd)), HasSubstr("box.model:")) << absurd;
  }
  EXPECT_THAT(complaint(with("ways L1", "1.5")), HasSubstr("whole number"));
  EXPECT_THAT(complaint(with("core_idle_w", "11")), HasSubstr("more when idle than when busy"));
}

TEST(model_reader, refuses_what_is_about_nothing) {
  EXPECT_THAT(complaint(with("cores", "0")), HasSubstr("there is no key \"cores\""));
  EXPECT_THAT(complaint(with("core_gzh", "2")), HasSubstr("did you mean core_ghz?"));
  EXPECT_THAT(complaint(with("ways L4", "16")), HasSubstr("about nothing"));
  EXPECT_THAT(complaint(with("memory_ns HBM 10", "90")), HasSubstr("about nothing"));
  EXPECT_THAT(complaint(with("memory_ns 0 7", "90")), HasSubstr("about nothing"));
  EXPECT_THAT(complaint(with("core_ghz IntelAtom", "3")), HasSubstr("about nothing"));
  EXPECT_THAT(complaint(with("hit_ns L1", "2")), HasSubstr("both said of L1"));
}

TEST(model_reader, refuses_links_that_lead_nowhere) {
  for (const char* const wrong : {"0", "0-", "-1", "0-1-2", "a-b", "0-1,1-0", "4294967296-0"})
    EXPECT_THAT(complaint(with("links bus", wrong)), HasSubstr("is no link")) << wrong;
  EXPECT_THAT(complaint(with("links bus", "0-2")), HasSubstr("there is no package 2"));
  EXPECT_THAT(complaint(with("links bus", "0-0")), HasSubstr("both ends at one seat"));
  EXPECT_THAT(complaint(with("seats", "sockets")), HasSubstr("packages or nodes"));
  const machine three = machine_of(3, 1, 64 << 10);
  EXPECT_THAT(complaint(text_for_two_packages(), three), HasSubstr("no links lead from seat 0 to seat 2"));
}

class named_model : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(all, named_model, testing::ValuesIn(machine_names(NEARFORK_SOURCE_DIR "/machines")),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST_P(named_model, fits_its_machine) {
  const auto where = named_machine(GetParam(), NEARFORK_SOURCE_DIR "/machines");
  const machine_model made = model_of(*where);
  EXPECT_EQ(made.from, where->model_file());
  EXPECT_EQ(made.kinds.size(), where->core_kinds().size());
  EXPECT_TRUE(made.power);
  EXPECT_EQ(made.between.links.empty(), where->packages().size() == 1);
}

TEST_P(named_model, has_what_is_further_out_slower) {
  const auto where = named_machine(GetParam(), NEARFORK_SOURCE_DIR "/machines");
  const machine_model made = model_of(*where);
  for (const core_model& kind : made.kinds) EXPECT_TRUE(std::ranges::is_sorted(kind.hit_ps));
  for (std::uint32_t d = 0; d < where->domains().size(); ++d) {
    const auto row = std::span(made.memory_ps).subspan(d * node_count(*where), node_count(*where));
    const std::uint32_t home = first_touch_node(*where, domain_id{d});
    EXPECT_EQ(row[home], std::ranges::min(row)) << "domain " << d;
    EXPECT_GT(row[home], made.kinds[0].hit_ps.back());
  }
}

TEST(model_reader, reads_latencies_of_writes_for_all_memory_or_none) {
  EXPECT_TRUE(load_model(two_packages(), text_for_two_packages(), "box.model").write_ps.empty());
  const machine_model made = load_model(two_packages(), with("write_ns DRAM 10", "120"), "box.model");
  EXPECT_EQ(made.write_ps, (std::vector<std::uint64_t>{120'000, 165'000, 165'000, 120'000})) << "45 for the link";
  EXPECT_THAT(complaint(with("write_ns 0 0", "120")), HasSubstr("write_ns DRAM"));
}

// Little cores have other ways than big ones; the caches that both share have one number.
TEST(model_reader, reads_ways_of_each_kind_of_cores) {
  const auto alder_lake = named_machine("alder-lake", NEARFORK_SOURCE_DIR "/machines");
  const machine_model made = model_of(*alder_lake);
  ASSERT_EQ(alder_lake->core_kinds()[0].name, "IntelAtom");
  EXPECT_EQ(made.kinds[0].associativity, (std::vector<std::uint32_t>{8, 16, 12}));
  EXPECT_EQ(made.kinds[1].associativity, (std::vector<std::uint32_t>{12, 10, 12}));
  const std::string text = text_of_model_file(alder_lake->model_file());
  EXPECT_THAT(complaint(text + "ways L3 IntelAtom = 16 # estimate: made up\n", *alder_lake),
              HasSubstr("kinds of cores that share a cache differ in its ways"));
  EXPECT_THAT(complaint(without(text, "ways L2 IntelAtom"), *alder_lake), HasSubstr("for cores of kind IntelAtom"));
}

TEST(named_models, are_the_machines_of_the_papers_and_current_ones) {
  const auto load = [](const char* name) { return model_of(*named_machine(name, NEARFORK_SOURCE_DIR "/machines")); };
  // Drebes et al., table 1: 1288.5 and 2328.4 ms for 2^24 accesses.
  EXPECT_EQ(load("opteron-6282").memory_ps[0], 76'800U);
  EXPECT_EQ(load("opteron-6282").memory_ps[1], 138'800U);
  const machine_model saws = load("xeon-x7560");
  ASSERT_EQ(saws.kinds.size(), 2U);
  EXPECT_EQ(saws.kinds[0].mhz, 1'330U);
  EXPECT_EQ(saws.kinds[1].mhz, 2'000U);
  EXPECT_EQ(load("alder-lake").kinds.size(), 2U);
  for (const char* const current : {"xeon-8490h", "epyc-9654", "xeon-6980p", "epyc-9755"})
    EXPECT_GT(load(current).memory_ps.at(0), 100'000U) << current;
}

/// Changes a line of a good text at random: the result is the model, or an error that names the file.
RC_GTEST_PROP(model_reader, takes_or_refuses_any_text, (std::uint32_t at, char put)) {
  std::string text = text_for_two_packages();
  text[at % text.size()] = put;
  const std::string said = complaint(text);
  RC_ASSERT(said == "accepted" || said.find("box.model") != said.npos || said.find("seat") != said.npos);
}

}  // namespace
}  // namespace nearfork::sim
