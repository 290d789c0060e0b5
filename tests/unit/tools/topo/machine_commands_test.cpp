// `nearfork topo` and `nearfork doctor` as a user meets them: status, output, complaints.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "unit/tools/command_run.hpp"

namespace {

using command_run::ending;

ending nearfork(const std::string& arguments) {
  return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
}

const std::string opteron = NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(topo_command, draws_this_machine) {
  const ending shown = nearfork("topo");
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_TRUE(holds(shown.output, "source: live")) << shown.output;
  EXPECT_TRUE(holds(shown.output, "domain 0")) << shown.output;
}

TEST(topo_command, prints_json_that_agrees_with_itself) {
  const ending shown = nearfork("topo --json --xml " + opteron);
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto made = nlohmann::json::parse(shown.output);
  EXPECT_EQ(made.at("version"), 1);
  EXPECT_EQ(made.at("domains").size(), 4U);
  EXPECT_EQ(made.at("cores").size(), 16U);
  EXPECT_EQ(made.at("nodes").size(), 4U);
  EXPECT_EQ(made.at("node_distances").size(), 4U);
  for (const auto& one : made.at("cores")) EXPECT_LT(one.at("domain").get<std::size_t>(), 4U);
  ASSERT_EQ(made.at("packages").size(), 4U);
  for (const auto& one : made.at("packages"))
    for (const auto& domain : one.at("domains"))
      EXPECT_EQ(made.at("domains").at(domain.get<std::size_t>()).at("package"), one.at("id"));
  EXPECT_EQ(made.at("packages").at(3).at("os_index"), 3);
  EXPECT_EQ(made.at("cores").at(15).at("package"), 3);
  EXPECT_EQ(made.at("cores").at(15).at("os_index"), 15);
}

TEST(topo_command, says_whether_misses_can_be_counted_here) {
  const ending shown = nearfork("topo --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto counters = nlohmann::json::parse(shown.output).at("counters");
  if (counters.at("cache_misses").get<bool>()) {
    EXPECT_GT(counters.at("line_bytes").get<unsigned>(), 0U);
  } else {
    EXPECT_FALSE(counters.at("why").get<std::string>().empty());
  }
  EXPECT_TRUE(holds(nearfork("topo").output, "\ncounters: "));
  EXPECT_FALSE(holds(nearfork("topo --synthetic pu:1").output, "counters: "));
}

TEST(topo_command, takes_a_synthetic_machine_by_either_name) {
  for (const char* const option : {"--synthetic", "--machine"}) {
    const ending shown = nearfork(std::string("topo ") + option + " 'package:2 l3:2 core:4 pu:1'");
    EXPECT_EQ(shown.status, 0) << shown.output;
    EXPECT_TRUE(holds(shown.output, "4 cache domains, 16 cores")) << shown.output;
  }
}

TEST(topo_command, ends_with_1_and_a_reason_for_a_bad_machine) {
  for (const char* const wrong : {"--synthetic nonsense", "--xml /no/such.xml", "--machine box.txt/x"}) {
    const ending refused = nearfork(std::string("topo ") + wrong);
    EXPECT_EQ(refused.status, 1) << wrong << ": " << refused.output;
    EXPECT_TRUE(holds(refused.output, "nearfork: ")) << wrong << ": " << refused.output;
  }
}

TEST(topo_command, shows_a_machine_by_name) {
  const ending shown = nearfork("topo --machine opteron-8380");
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_TRUE(holds(shown.output, "source: machine opteron-8380")) << shown.output;
  const ending unknown = nearfork("topo --machine opteron");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(holds(unknown.output, "known: ") && holds(unknown.output, "opteron-8380")) << unknown.output;
}

TEST(topo_command, lists_machines_that_have_a_name) {
  const ending shown = nearfork("topo --list");
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_TRUE(holds(shown.output, "\nsgi-uv2000 ")) << shown.output;
  const auto made = nlohmann::json::parse(nearfork("topo --list --json").output);
  EXPECT_GE(made.at("machines").size(), 9U);
}

TEST(topo_command, measures_this_machine_alone) {
  const ending refused = nearfork("topo --measure --machine grace");
  EXPECT_EQ(refused.status, 1) << refused.output;
  EXPECT_TRUE(holds(refused.output, "only this machine can be measured")) << refused.output;
  EXPECT_GE(nearfork("topo -o box.model").status, 100) << "nothing to write";
}

TEST(topo_command, refuses_two_machines_at_once) {
  const ending refused = nearfork("topo --synthetic pu:1 --xml " + opteron);
  EXPECT_GE(refused.status, 100) << refused.output;
}

TEST(doctor_command, ends_with_0_whatever_the_system_denies) {
  const ending said = nearfork("doctor");
  EXPECT_EQ(said.status, 0) << said.output;
  for (const char* const what :
       {"pinning", "affinity", "mbind", "move_pages", "counters", "cpufreq", "RAPL", "NUMA balancing", "huge pages",
        "CPU quota", "environment", "heat samples", "heat damon", "heat clear_refs", "heat page_idle"})
    EXPECT_TRUE(holds(said.output, what)) << said.output;
}

TEST(doctor_command, prints_json_and_with_strict_ends_as_the_json_says) {
  const ending said = nearfork("doctor --json --strict");
  const auto made = nlohmann::json::parse(said.output);
  EXPECT_EQ(made.at("version"), 1);
  bool denied = false;
  for (const auto& one : made.at("grants")) {
    denied = denied || one.at("state") == "denied";
    EXPECT_FALSE(one.at("detail").get<std::string>().empty()) << one.dump();
    if (one.at("what").get<std::string>().starts_with("heat ") && one.at("state") != "granted") {
      EXPECT_FALSE(one.at("remedy").get<std::string>().empty()) << one.dump();
    }
  }
  EXPECT_EQ(said.status, denied ? 1 : 0);
}

TEST(doctor_command, restores_no_frequencies_where_no_program_has_left_any) {
  const ending said = nearfork("doctor --restore-frequencies --json");
  EXPECT_EQ(said.status, 0) << said.output;
  const auto made = nlohmann::json::parse(said.output);
  EXPECT_EQ(made.at("version"), 1);
  for (const auto& one : made.at("frequencies")) EXPECT_EQ(one.at("state"), "nothing") << one.dump();
  EXPECT_TRUE(holds(nearfork("doctor --restore-frequencies").output, "nothing"));
}

TEST(machine_commands, show_examples_in_their_help) {
  for (const char* const command : {"topo", "doctor"}) {
    const ending help = nearfork(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(holds(help.output, std::string("nearfork ") + command)) << help.output;
  }
}

TEST(machine_commands, end_with_a_usage_error_for_an_unknown_option) {
  EXPECT_GE(nearfork("topo --nonsense").status, 100);
  EXPECT_GE(nearfork("doctor --nonsense").status, 100);
}

}  // namespace
