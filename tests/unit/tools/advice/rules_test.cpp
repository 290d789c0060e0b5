// Each rule: an example that fires, and one that does not.
#include "tools/advice/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nearfork::tools {
namespace {

using change = simulated_variant::change;

const advice_item* find(const std::vector<advice_item>& items, const std::string& id) {
  for (const advice_item& one : items)
    if (one.id == id) return &one;
  return nullptr;
}
bool fires(const std::string& id, const std::vector<report_view>& views, const advice_evidence& evidence = {}) {
  return find(advice_from(views, evidence), id) != nullptr;
}

report_view with_bracket(bracket_view one) {
  report_view made{.file = "g.nfg", .kind = "recording"};
  one.region = "loop";
  made.brackets.push_back(one);
  return made;
}
report_view with_workers(std::uint64_t workers) {
  return {.file = "r.json", .kind = "run report", .workers = workers};
}
simulated_variant variant(change what, std::string value, double base, double time) {
  return {.what = what, .value = std::move(value), .machine = "box", .base_ns = base, .time_ns = time};
}

/// 1000 leaves of 10 us on 4 workers, as fast as can be.
bracket_view good() {
  return {.tasks = 1999,
          .leaves = 1000,
          .work_ns = 1e7,
          .span_ns = 2e5,
          .longest_leaf_ns = 1.2e4,
          .time_ns = 2.6e6,
          .workers = 4};
}

TEST(advice_rules, a_good_program_gets_no_advice) {
  EXPECT_TRUE(
      advice_from({with_bracket(good()), with_workers(4)}, {.system = system_evidence{4, 4, 4, {}, {}}}).empty());
}

TEST(advice_rules, a_policy_that_is_simulated_to_be_faster) {
  const auto items = advice_from(
      {}, {.variants = {variant(change::policy, "laws", 100, 60), variant(change::policy, "acab", 100, 90)}});
  ASSERT_NE(find(items, "policy"), nullptr);
  EXPECT_DOUBLE_EQ(*find(items, "policy")->gain, 0.4);
  EXPECT_EQ(find(items, "policy")->command, "NEARFORK_POLICY=laws");
  EXPECT_FALSE(fires("policy", {}, {.variants = {variant(change::policy, "laws", 100, 99)}}));
}

TEST(advice_rules, leaves_that_are_too_small) {
  bracket_view fine = good();
  fine.leaves = 100'000;  // of 100 ns
  const auto items = advice_from({with_bracket(fine)}, {.variants = {variant(change::grain, "10000", 100, 70)}});
  ASSERT_NE(find(items, "grain-too-fine"), nullptr);
  EXPECT_NEAR(*find(items, "grain-too-fine")->gain, 0.3, 1e-9);
  EXPECT_THAT(find(items, "grain-too-fine")->what, testing::HasSubstr("100 times as large"));
  EXPECT_FALSE(fires("grain-too-fine", {with_bracket(fine)}, {.variants = {variant(change::grain, "10000", 100, 99)}}))
      << "no size is simulated to be faster";
  EXPECT_FALSE(fires("grain-too-fine", {with_bracket(fine)})) << "a fork costs less than 3% of 100 ns";
  fine.leaves = 1'000'000;
  EXPECT_TRUE(fires("grain-too-fine", {with_bracket(fine)}));
  EXPECT_FALSE(fires("grain-too-fine", {with_bracket(good())}));
}

TEST(advice_rules, leaves_that_are_too_large) {
  bracket_view coarse = good();
  coarse.leaves = 5;
  coarse.span_ns = coarse.longest_leaf_ns = 4e6;
  coarse.time_ns = 4.1e6;
  EXPECT_TRUE(fires("grain-too-coarse", {with_bracket(coarse)}));
  EXPECT_FALSE(fires("grain-too-coarse", {with_bracket(good())}));
}

TEST(advice_rules, a_long_chain_outside_of_leaves) {
  bracket_view serial = good();
  serial.span_ns = 6e6;
  serial.time_ns = 7e6;
  const auto items = advice_from({with_bracket(serial)}, {});
  ASSERT_NE(find(items, "serial-fraction"), nullptr);
  EXPECT_NEAR(*find(items, "serial-fraction")->gain, 1 - 2.5 / 7, 1e-9);
  EXPECT_FALSE(fires("serial-fraction", {with_bracket(good())}));
}

/// As it is where most tasks are none that a recording has.
TEST(advice_rules, tasks_that_explain_little_of_the_time_get_no_advice) {
  bracket_view little = good();
  little.leaves = 1;
  little.work_ns = little.span_ns = little.longest_leaf_ns = 1e5;
  little.time_ns = 6e5;
  EXPECT_FALSE(fires("grain-too-coarse", {with_bracket(little)}));
  little.longest_leaf_ns = 1e3;
  EXPECT_FALSE(fires("serial-fraction", {with_bracket(little)}));
}

TEST(advice_rules, another_rule_for_dataflow_tasks_names_its_options) {
  const auto items = advice_from({}, {.variants = {variant(change::policy, "push=weighted", 100, 60)}});
  ASSERT_NE(find(items, "push"), nullptr);
  EXPECT_EQ(find(items, "push")->command, "NEARFORK_PUSH=weighted NEARFORK_ALLOC=immediate");
  EXPECT_EQ(find(items, "policy"), nullptr);
}

report_view traced(double first, double second) {
  report_view made{.file = "t.pftrace", .kind = "trace"};
  made.worker_times = {{.name = "worker 0", .work_ns = first}, {.name = "worker 1", .work_ns = second}};
  return made;
}

TEST(advice_rules, workers_with_unequal_work) {
  const auto items = advice_from({traced(300, 100)}, {});
  ASSERT_NE(find(items, "imbalance"), nullptr);
  EXPECT_NEAR(*find(items, "imbalance")->gain, 1.0 / 3, 1e-9);
  EXPECT_FALSE(fires("imbalance", {traced(110, 100)}));
}

TEST(advice_rules, unequal_work_that_comes_from_the_tree_is_told_once) {
  bracket_view serial = good();
  serial.span_ns = 6e6;
  serial.time_ns = 7e6;
  EXPECT_FALSE(fires("imbalance", {with_bracket(serial), traced(300, 100)})) << "it is the chain";
  bracket_view fine = good();
  fine.leaves = 1'000'000;
  EXPECT_FALSE(fires("imbalance", {with_bracket(fine), traced(300, 100)})) << "it is the grain";
}

TEST(advice_rules, unequal_work_although_there_is_work_for_all) {
  const auto items = advice_from({with_bracket(good()), traced(300, 100)}, {});
  ASSERT_NE(find(items, "imbalance"), nullptr);
  EXPECT_THAT(find(items, "imbalance")->what, testing::HasSubstr("Keep the workers' cores free"));
  bracket_view quick = good();
  quick.time_ns = 1e5;
  const auto of_quick = advice_from({with_bracket(quick), traced(300, 100)}, {});
  ASSERT_NE(find(of_quick, "imbalance"), nullptr);
  EXPECT_THAT(find(of_quick, "imbalance")->what, testing::HasSubstr("Do more in each iteration"));
}

TEST(advice_rules, work_outside_of_regions_is_no_imbalance) {
  report_view view = traced(900, 100);
  for (worker_time_view& one : view.worker_times) {
    one.region_work_ns = 100;
    one.region_ns = 120;
  }
  EXPECT_FALSE(fires("imbalance", {view})) << "worker 0 also made the input";
  view.worker_times[0].region_work_ns = 120;
  view.worker_times[1].region_work_ns = 60;
  const auto items = advice_from({view}, {});
  ASSERT_NE(find(items, "imbalance"), nullptr);
  EXPECT_NEAR(*find(items, "imbalance")->gain, 0.25, 1e-9);
}

report_view simulated_pages(std::vector<double> pages, std::vector<double> work) {
  report_view made{.file = "g.nfg, simulated", .kind = "simulation", .simulated = true, .machine = "box"};
  made.pages.push_back(
      {.what = "random", .nodes = {"0", "1"}, .before = pages, .after = pages, .work_ns = std::move(work)});
  return made;
}

TEST(advice_rules, pages_that_one_thread_touched_first) {
  const advice_evidence faster{.variants = {variant(change::pages, "follow-plan", 100, 50)}};
  EXPECT_TRUE(fires("first-touch", {simulated_pages({99, 1}, {40, 60})}, faster));
  EXPECT_FALSE(fires("first-touch", {simulated_pages({50, 50}, {40, 60})}, faster)) << "they are spread";
  EXPECT_FALSE(fires("first-touch", {simulated_pages({99, 1}, {40, 60})}, {})) << "no rule is faster";
}

TEST(advice_rules, data_that_one_thread_may_have_filled) {
  const auto items = advice_from({}, {.variants = {variant(change::filler, "filled by one thread", 60, 100)}});
  ASSERT_NE(find(items, "first-touch"), nullptr);
  EXPECT_NEAR(*find(items, "first-touch")->gain, 0.4, 1e-9);
  EXPECT_THAT(find(items, "first-touch")->gain_from, testing::HasSubstr("if one thread"));
  EXPECT_FALSE(fires("first-touch", {}, {.variants = {variant(change::filler, "filled by one thread", 99, 100)}}));
  const auto once = advice_from({simulated_pages({99, 1}, {40, 60})},
                                {.variants = {variant(change::pages, "follow-plan", 100, 50),
                                              variant(change::filler, "filled by one thread", 60, 100)}});
  EXPECT_EQ(std::ranges::count(once, "first-touch", &advice_item::id), 1);
}

TEST(advice_rules, another_rule_for_pages) {
  EXPECT_TRUE(fires("page-placing", {}, {.variants = {variant(change::pages, "interleaved", 100, 80)}}));
  EXPECT_FALSE(fires("page-placing", {}, {.variants = {variant(change::pages, "interleaved", 100, 100)}}));
}

TEST(advice_rules, fast_memory_that_is_not_used) {
  const std::vector<simulated_variant> by_bandwidth{variant(change::pages, "by-bandwidth", 100, 80)};
  EXPECT_TRUE(fires("hbm-unused", {}, {.variants = by_bandwidth, .has_hbm = true}));
  EXPECT_FALSE(fires("hbm-unused", {}, {.variants = by_bandwidth, .has_hbm = false}));
}

TEST(advice_rules, lines_that_several_tasks_write) {
  EXPECT_TRUE(fires("false-sharing", {}, {.data = data_evidence{1 << 20, "sums", 50, 100}}));
  EXPECT_FALSE(fires("false-sharing", {}, {.data = data_evidence{1 << 20, "sums", 1, 100}}));
  const auto items = advice_from(
      {}, {.variants = {variant(change::lines, "sums", 100, 75)}, .data = data_evidence{1 << 20, "sums", 50, 100}});
  ASSERT_NE(find(items, "false-sharing"), nullptr);
  EXPECT_NEAR(find(items, "false-sharing")->gain.value_or(-1), 0.25, 1e-9);
  EXPECT_THAT(find(items, "false-sharing")->gain_from, testing::HasSubstr("simulated on"));
}

TEST(advice_rules, a_few_shared_lines_are_not_told_even_if_they_are_all_lines) {
  EXPECT_FALSE(fires("false-sharing", {}, {.data = data_evidence{128, "sum", 2, 2}}));
  EXPECT_FALSE(fires("false-sharing", {}, {.data = data_evidence{960, "sum", 15, 15}}));
  EXPECT_TRUE(fires("false-sharing", {}, {.data = data_evidence{1024, "sum", 16, 16}}));
}

TEST(advice_rules, counters_that_may_be_written_many_times) {
  data_evidence counters{64, "counters", 1, 1};
  counters.writers_lines = 8;
  counters.writers_ns = 8'000;  // 1 us a line
  EXPECT_FALSE(fires("false-sharing", {}, {.data = counters}));
  counters.writers_ns = 1e6;
  EXPECT_TRUE(fires("false-sharing", {}, {.data = counters}));
  EXPECT_FALSE(fires("false-sharing", {}, {.data = data_evidence{.bytes = 64, .written_lines = 1, .writers_ns = 1e6}}));
}

TEST(advice_rules, shared_lines_that_are_simulated_to_cost_nothing) {
  data_evidence data{1 << 20, "sums", 50, 100};
  data.writers_lines = 100;
  data.writers_ns = 10'000;  // 100 ns a line
  for (const double time : {101.0, 100.0, 99.5})
    EXPECT_FALSE(fires("false-sharing", {}, {.variants = {variant(change::lines, "sums", 100, time)}, .data = data}))
        << time;
  EXPECT_TRUE(fires("false-sharing", {}, {.variants = {variant(change::lines, "sums", 100, 98)}, .data = data}));
}

TEST(advice_rules, shared_lines_that_may_be_written_many_times) {
  data_evidence data{1 << 20, "sums", 50, 100};
  data.writers_lines = 100;
  data.writers_ns = 1e6;  // 10 us a line
  const auto items = advice_from({}, {.variants = {variant(change::lines, "sums", 100, 101)}, .data = data});
  ASSERT_NE(find(items, "false-sharing"), nullptr);
  EXPECT_EQ(find(items, "false-sharing")->gain, std::nullopt) << "one pass alone was simulated";
  EXPECT_THAT(find(items, "false-sharing")->evidence, testing::HasSubstr("is not known"));
}

TEST(advice_rules, a_quota_that_is_narrower_than_the_workers) {
  EXPECT_TRUE(fires("quota", {with_workers(8)}, {.system = system_evidence{8, 8, 8, 2.0, {}}}));
  EXPECT_FALSE(fires("quota", {with_workers(2)}, {.system = system_evidence{8, 8, 8, 2.0, {}}}));
}

TEST(advice_rules, more_workers_than_hardware_threads) {
  EXPECT_TRUE(fires("oversubscription", {with_workers(8)}, {.system = system_evidence{2, 4, 4, {}, {}}}));
  EXPECT_FALSE(fires("oversubscription", {with_workers(4)}, {.system = system_evidence{2, 4, 4, {}, {}}}));
}

TEST(advice_rules, an_affinity_that_leaves_most_of_the_machine) {
  EXPECT_TRUE(fires("affinity", {}, {.system = system_evidence{2, 2, 16, {}, {}}}));
  EXPECT_FALSE(fires("affinity", {}, {.system = system_evidence{16, 16, 16, {}, {}}}));
}

simulated_variant with_workers_simulated(const std::string& limit, double base, double time, std::uint32_t workers) {
  simulated_variant made = variant(change::workers, limit, base, time);
  made.workers = workers;
  made.base_workers = 2;
  return made;
}

TEST(advice_rules, what_a_higher_quota_would_gain) {
  const auto items = advice_from({with_workers(8)}, {.variants = {with_workers_simulated("quota", 100, 40, 8),
                                                                  with_workers_simulated("quota", 100, 30, 4)},
                                                     .system = system_evidence{8, 8, 8, 2.0, {}}});
  const advice_item* const quota = find(items, "quota");
  ASSERT_NE(quota, nullptr);
  EXPECT_NEAR(quota->gain.value_or(-1), 0.7, 1e-9) << "of the better number";
  EXPECT_EQ(quota->gain_from, "simulated on box, if the quota is raised");
  EXPECT_THAT(quota->evidence, testing::HasSubstr("With a quota for 4"));
}

TEST(advice_rules, as_many_workers_as_hardware_threads_beside_the_recorded_time) {
  const advice_evidence simulated{.variants = {with_workers_simulated("oversubscription", 100, 80, 4)},
                                  .system = system_evidence{2, 4, 4, {}, {}}};
  const auto items = advice_from({with_workers(8)}, simulated);
  const advice_item* const found = find(items, "oversubscription");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->gain.value_or(-1), 0.2, 1e-9);
  EXPECT_THAT(found->gain_from, testing::HasSubstr("simulated on box, beside the recorded time"));
  EXPECT_EQ(found->command, "NEARFORK_WORKERS=4");
  const auto slower =
      advice_from({with_workers(8)}, {.variants = {with_workers_simulated("oversubscription", 100, 110, 4)},
                                      .system = system_evidence{2, 4, 4, {}, {}}});
  ASSERT_NE(find(slower, "oversubscription"), nullptr);
  EXPECT_EQ(find(slower, "oversubscription")->gain, std::nullopt) << "recorded times hold the turns, too";
}

TEST(advice_rules, what_the_rest_of_the_machine_would_gain) {
  const system_evidence narrow{2, 2, 16, {}, {}};
  const auto items = advice_from({}, {.variants = {with_workers_simulated("affinity", 100, 20, 16)}, .system = narrow});
  ASSERT_NE(find(items, "affinity"), nullptr);
  EXPECT_NEAR(find(items, "affinity")->gain.value_or(-1), 0.8, 1e-9);
  EXPECT_FALSE(fires("affinity", {}, {.variants = {with_workers_simulated("affinity", 100, 99, 16)}, .system = narrow}))
      << "the program does not gain from it";
}

TEST(advice_rules, rights_that_are_missing) {
  report_view refused = with_workers(2);
  refused.degradations.push_back(
      {"cache misses are not counted", "perf_event_open", "Permission denied", "sysctl x=1"});
  const auto items = advice_from({refused}, {});
  ASSERT_NE(find(items, "missing-rights"), nullptr);
  EXPECT_EQ(find(items, "missing-rights")->command, "sysctl x=1");
  refused.degradations[0].remedy = "set NEARFORK_RECORD_TASKS higher";
  EXPECT_FALSE(fires("missing-rights", {refused})) << "it is about the recording";
  refused.degradations[0].remedy.clear();
  EXPECT_FALSE(fires("missing-rights", {refused})) << "nothing can be done";
}

TEST(advice_rules, huge_pages_that_are_refused) {
  const system_evidence refused{4, 4, 4, {}, "echo madvise > enabled"};
  EXPECT_TRUE(fires("huge-pages", {}, {.system = refused, .data = data_evidence{std::uint64_t{1} << 30, "a", 0, 1}}));
  EXPECT_FALSE(fires("huge-pages", {}, {.system = refused, .data = data_evidence{1 << 20, "a", 0, 1}}));
}

}  // namespace
}  // namespace nearfork::tools
