#include "tools/output/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "unit/tools/command_run.hpp"

namespace {

using namespace nearfork::tools;

TEST(csv, puts_into_quotation_marks_what_would_break_a_line) {
  EXPECT_EQ(csv_line({"a", "", "b,c", "d \"e\"", "f\ng", "h\r"}), "a,,\"b,c\",\"d \"\"e\"\"\",\"f\ng\",\"h\r\"\n");
  EXPECT_EQ(csv_line({}), "\n");
}

std::string nearfork(const std::string& arguments) {
  const command_run::ending ran = command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
  EXPECT_EQ(ran.status, 0) << ran.output;
  return ran.output;
}

/// By line and field. No field of these tests has a comma.
std::vector<std::vector<std::string>> fields_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    std::istringstream rest(line + ",");
    auto& fields = lines.emplace_back();
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(field);
    EXPECT_EQ(fields.size(), lines.front().size()) << line;
  }
  return lines;
}

std::string value(const std::vector<std::vector<std::string>>& lines, std::size_t line, const std::string& column) {
  for (std::size_t i = 0; i < lines.front().size(); ++i)
    if (lines.front()[i] == column) return lines.at(line).at(i);
  ADD_FAILURE() << column;
  return "";
}

TEST(csv_of_sim, has_the_numbers_of_its_json) {
  const std::string line =
      "sim heat --size test --iterations 4 --policy random,laws --machine 'package:2 [numa] l3:1(size=256KiB) core:2 "
      "pu:1' ";
  const auto json = nlohmann::json::parse(nearfork(line + "--json"));
  const auto lines = fields_of(nearfork(line + "--csv"));
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& policy = json.at("machines")[0].at("policies")[i];
    EXPECT_EQ(value(lines, i + 1, "policy"), policy.at("policy").get<std::string>());
    const auto& each = policy.at("per_iteration");
    EXPECT_EQ(std::stod(value(lines, i + 1, "simulated_each_ns")), each.at("time_ns").get<double>());
    EXPECT_EQ(std::stod(value(lines, i + 1, "simulated_total_ns")), policy.at("total").at("time_ns").get<double>());
    EXPECT_EQ(std::stod(value(lines, i + 1, "gain_over_random")), policy.at("gain_over_random").get<double>());
    EXPECT_EQ(std::stod(value(lines, i + 1, "l3_misses")), each.at("caches")[0].at("misses").get<double>());
    EXPECT_EQ(std::stod(value(lines, i + 1, "remote_lines")), each.at("remote_lines").get<double>());
    EXPECT_EQ(std::stod(value(lines, i + 1, "steals_package")), each.at("steals").at("package").get<double>());
  }
}

/// Three seeds and two numbers of workers: 2 + 2 * 2 + 2 lines.
TEST(csv_of_sim, has_the_other_seeds_and_numbers_of_workers) {
  const std::string line =
      "sim heat --size test --iterations 4 --policy random,laws --seed 5 --seeds 3 --sweep 1,4 --machine 'package:2 "
      "[numa] l3:1(size=256KiB) core:2 pu:1' ";
  const auto machine = nlohmann::json::parse(nearfork(line + "--json")).at("machines").at(0);
  const auto lines = fields_of(nearfork(line + "--csv"));
  ASSERT_EQ(lines.size(), 9U);
  std::vector<double> of_laws;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(value(lines, i + 1, "seed"), std::to_string(5 + i / 2));
    EXPECT_EQ(value(lines, i + 1, "workers"), "4");
    EXPECT_EQ(value(lines, i + 1, "policy"), i % 2 == 0 ? "random" : "laws");
    EXPECT_EQ(value(lines, i + 1, "l3_misses").empty(), i >= 2) << "counts are of the first seed";
    EXPECT_EQ(value(lines, i + 1, "l1_misses"), "") << "there is no L1";
    if (i % 2 == 1) of_laws.push_back(std::stod(value(lines, i + 1, "simulated_each_ns")));
  }
  EXPECT_EQ(std::ranges::max(of_laws), machine.at("spread").at(1).at("time_ns").at("most").get<double>());
  EXPECT_EQ(std::ranges::min(of_laws), machine.at("spread").at(1).at("time_ns").at("least").get<double>());
  EXPECT_EQ(value(lines, 8, "workers"), "1") << "4 are in the first lines";
  EXPECT_EQ(value(lines, 8, "policy"), "laws");
  EXPECT_EQ(std::stod(value(lines, 8, "simulated_each_ns")),
            machine.at("sweep").at(0).at("time_ns").at("laws").get<double>());
  EXPECT_EQ(value(lines, 7, "gain_over_random"), "0");
}

TEST(csv_of_topo, has_a_line_per_pu) {
  const auto lines = fields_of(nearfork("topo --csv --synthetic 'package:2 [numa] l3:1 core:2 pu:2'"));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(value(lines, 8, "os_pu"), "7");
  EXPECT_EQ(value(lines, 8, "core"), "3");
  EXPECT_EQ(value(lines, 8, "package"), "1");
}

TEST(csv, excludes_json) {
  for (const char* const command :
       {"topo", "doctor", "sim heat", "reproduce laws", "graph info g.nfg", "report r.json", "advise"}) {
    const auto ran = command_run::run_command("", NEARFORK_COMMAND " " + std::string(command) + " --csv --json");
    EXPECT_GE(ran.status, 100) << command;
    EXPECT_NE(ran.output.find("excludes"), std::string::npos) << ran.output;
  }
}

}  // namespace
