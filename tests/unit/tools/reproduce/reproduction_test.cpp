#include "tools/reproduce/reproduction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/process_number.hpp"
#include "tools/reproduce/paper_comparison.hpp"
#include "tools/reproduce/paper_figures.hpp"

namespace nearfork::tools {
namespace {

TEST(papers_machine, is_the_one_that_the_papers_describe) {
  const simulated_machine made = papers_machine();
  ASSERT_EQ(made.what->domains().size(), 4U);
  EXPECT_EQ(made.what->cores().size(), 16U);
  EXPECT_DOUBLE_EQ(made.speed.ns_per_operation, 0.2);
  EXPECT_DOUBLE_EQ(made.speed.vector_work, 1) << "gcc 4.4 at -O2 makes no vector instructions";
  for (const domain& one : made.what->domains()) {
    ASSERT_EQ(one.caches.size(), 3U);
    EXPECT_EQ(one.caches[1].size_bytes, 512U << 10);
    EXPECT_EQ(one.caches[2].size_bytes, 6U << 20);
    EXPECT_EQ(one.caches[2].shared_by_cores, 4U);
  }
}

TEST(paper_figures, are_found_by_benchmark_policy_and_metric) {
  EXPECT_EQ(figure_of(laws_figures(), "9p-ir", "laws", paper_metric::l3_misses), 446.03);
  EXPECT_EQ(figure_of(acab_figures(), "ge-ir", "acab", paper_metric::l2_misses), 20);
  EXPECT_EQ(figure_of(acab_figures(), "6p", "acab", paper_metric::l2_misses), std::nullopt);
  EXPECT_EQ(laws_figures().size(), 12U * 3 * 2);
  EXPECT_EQ(acab_figures().size(), 6U * 2 * 3);
}

class small_experiments : public testing::Test {
 protected:
  const simulated_machine where_ =
      machine_to_simulate("package:2 [numa] l3:1(size=128KiB) l2:1(size=64KiB) l1:1(size=8KiB) core:2 pu:1");
  const benchmark_list of_{{"heat", "sor"}, {"random", "laws"}};
  const experiment_runs runs_ = run_experiments(
      where_,
      {{.workload = "heat", .size = "test,iterations=40", .steady_iterations = 4}, {.workload = "sor", .size = "test"}},
      of_.policies, {.threads = 2});
};

TEST_F(small_experiments, run_every_program_under_every_policy) {
  ASSERT_EQ(runs_.size(), 4U);
  EXPECT_LT(run_of(runs_, "heat", "random").summary.simulated, 40U);
  EXPECT_EQ(run_of(runs_, "heat", "random").summary.wanted, 40U);
  EXPECT_DOUBLE_EQ(gain_of(runs_, "sor", "random"), 0);
  EXPECT_THROW((void)run_of(runs_, "ge", "laws"), error);
}

TEST_F(small_experiments, that_are_kept_are_not_simulated_again) {
  const std::string path = testing::TempDir() + "/nearfork_kept_experiments_" + std::to_string(process_number());
  std::filesystem::remove(path);
  const std::vector<experiment> what{{.workload = "heat", .size = "test,iterations=3"}};
  const auto times = [&](const std::vector<std::string>& policies, std::size_t& told) {
    result_store kept(path, "", "a run");
    const auto count = [&](const campaign_progress&) { ++told; };
    std::vector<double> made;
    for (const experiment_run& one : run_experiments(where_, what, policies, {.watch = count, .kept = &kept}))
      made.push_back(one.summary.total.time_ns);
    return made;
  };
  std::size_t told = 0;
  const auto first = times({"random", "laws"}, told);
  EXPECT_GT(told, 0U);
  told = 0;
  EXPECT_EQ(times({"random", "laws"}, told), first);
  EXPECT_EQ(told, 0U);
  EXPECT_EQ(times({"random", "laws", "acab"}, told).size(), 3U) << "what an interrupted run had not come to";
  EXPECT_GT(told, 0U);
  std::filesystem::remove(path);
}

TEST(experiments, say_by_which_rule_pages_get_their_nodes) {
  const simulated_machine where = machine_to_simulate("xeon-phi-7210");
  const auto hbm_bytes = [&](const std::string& pages) {
    const experiment_runs runs =
        run_experiments(where, {{.workload = "heat", .size = "test", .pages = pages}}, {"random"}, {});
    std::uint64_t sum = 0;
    for (std::size_t node = 0; node < where.what->nodes().size(); ++node)
      if (where.what->nodes()[node].kind == memory_kind::hbm) sum += runs.front().last_traffic_of_node.at(node);
    return sum;
  };
  EXPECT_EQ(hbm_bytes(""), 0U);
  EXPECT_GT(hbm_bytes("bound:4,5,6,7"), 0U);
}

TEST(experiments, say_what_is_assumed_of_a_machine_without_a_model) {
  EXPECT_THAT(conditions_of(machine_to_simulate("[numa] core:2 pu:1"), {}, {}),
              testing::Contains(testing::HasSubstr("assumed 20 GB/s")));
}

TEST_F(small_experiments, stand_beside_the_papers_numbers) {
  const result_table table = miss_table("id", "title", of_, runs_, 2, paper_metric::l3_misses, laws_figures());
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(std::get<double>(table.rows[1][4]), 462) << "heat under laws";
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[1][5]), 462.0 / 572);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][3]), 1);
  EXPECT_EQ(gain_table("id", "title", of_, runs_).rows.size(), 2U);
}

TEST_F(small_experiments, are_judged_by_what_came_out) {
  const double heat = gain_of(runs_, "heat", "laws");
  const double sor = gain_of(runs_, "sor", "laws");
  const double least = std::min(heat, sor);
  const double most = std::max(heat, sor);
  EXPECT_THAT(range_verdict(of_, runs_, {"here", "laws", least - 1, most + 1}),
              testing::EndsWith(": within 10 points"));
  EXPECT_THAT(range_verdict(of_, runs_, {"here", "laws", least + 11, most + 20}), testing::HasSubstr("NOT within"));
}

TEST_F(small_experiments, refuse_a_machine_without_the_memory) {
  const simulated_machine tiny = machine_to_simulate("package:1 [numa(memory=64KiB)] core:1 pu:1");
  EXPECT_THROW((void)run_experiments(tiny, {{.workload = "heat", .size = "small"}}, {"random"}, {}), error);
}

TEST(reproductions, say_in_json_that_they_are_simulated) {
  const reproduction made{.paper = "P", .conditions = {"c"}, .tables = {}, .verdicts = {"v"}, .pictures = {}};
  const auto json = nlohmann::json::parse(json_text_of(made));
  EXPECT_EQ(json.at("simulated"), true);
  EXPECT_EQ(json.at("verdicts").at(0), "v");
  EXPECT_THAT(text_of(made), testing::StartsWith("P, simulated\n"));
}

}  // namespace
}  // namespace nearfork::tools
