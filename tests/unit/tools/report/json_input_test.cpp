// Run reports, simulations and benchmarks as views, and what is said of those that are malformed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using sample_files::benchmark;
using sample_files::replaced;
using sample_files::run_report;
using sample_files::simulation;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string refusal(const std::string& content) {
  return test::message_of([&] { (void)views_of(content, "r.json"); });
}

TEST(json_input, a_ring_file_is_told_from_a_trace) {
  EXPECT_THAT(refusal("nfring02 and more"), HasSubstr("nearfork trace recover r.json -o t.pftrace"));
}

TEST(json_input, a_run_report_has_its_numbers) {
  const auto views = views_of(run_report(), "r.json");
  ASSERT_THAT(views, SizeIs(1));
  EXPECT_EQ(views[0].kind, "run report");
  EXPECT_FALSE(views[0].simulated);
  EXPECT_EQ(views[0].workers, 2U);
  ASSERT_THAT(views[0].matrices, SizeIs(2));
  EXPECT_THAT(views[0].matrices[0].columns, ElementsAre("core", "cache", "node", "package", "machine"));
  EXPECT_THAT(views[0].matrices[0].cells.at(0), ElementsAre(0, 1, 0, 0, 5));
  ASSERT_THAT(views[0].courses, SizeIs(1));
  EXPECT_EQ(views[0].courses[0].ran, 20U);
  EXPECT_FALSE(views[0].courses[0].each_ns) << "a run report has no times of iterations";
  ASSERT_THAT(views[0].degradations, SizeIs(2));
  EXPECT_THAT(views[0].degradations[0].what, HasSubstr("stalls on memory are not counted"));
  EXPECT_EQ(views[0].degradations[0].why, "kernel.perf_event_paranoid is 3");
  EXPECT_EQ(views[0].degradations[1].remedy, "sysctl kernel.perf_event_paranoid=1");
}

TEST(json_input, a_run_report_has_places_of_pages_and_the_traffic_between_domains_and_nodes) {
  const report_view made = views_of(run_report(), "r.json").at(0);
  ASSERT_THAT(made.page_maps, SizeIs(1));
  const page_map_view& map = made.page_maps[0];
  EXPECT_THAT(map.from, HasSubstr("as the system told of 16 of 32 pages"));
  EXPECT_THAT(map.before.columns, ElementsAre("node 0", "node 2", "not touched"));
  EXPECT_THAT(map.before.rows, ElementsAre("grid"));
  EXPECT_THAT(map.before.cells.at(0), ElementsAre(24, 0, 8));
  EXPECT_THAT(map.after.cells.at(0), ElementsAre(14, 16, 2));
  EXPECT_THAT(map.tasks.columns, ElementsAre("domain 0 (node 0)", "domain 1 (node 2)"));
  EXPECT_THAT(map.tasks.cells.at(0), ElementsAre(8000, 8000));
  const matrix_view& traffic = made.matrices.at(1);
  EXPECT_THAT(traffic.title, AllOf(HasSubstr("from hints and places of pages, not counted"),
                                   HasSubstr("2.00 KiB more on pages of which no node is known")));
  EXPECT_THAT(traffic.rows, ElementsAre("domain 0 (node 0)", "domain 1 (node 2)"));
  EXPECT_THAT(traffic.columns, ElementsAre("node 0", "node 2"));
  EXPECT_THAT(traffic.cells, ElementsAre(ElementsAre(7000, 1000), ElementsAre(3000, 5000)));
}

TEST(json_input, a_run_report_says_what_is_not_known_of_places) {
  const std::string refused = replaced(replaced(run_report(), "\"unplaced_bytes\": 2048, \"note\": \"\"",
                                                "\"unplaced_bytes\": 0, \"note\": \"move_pages: no\""),
                                       "\"asked\": 16, \"first\": [12, 0], \"last\": [7, 8]",
                                       "\"asked\": 0, \"first\": [0, 0], \"last\": [0, 0]");
  const report_view made = views_of(refused, "r.json").at(0);
  EXPECT_THAT(made.page_maps, SizeIs(0));
  ASSERT_THAT(made.degradations, SizeIs(3));
  EXPECT_EQ(made.degradations[0].what, "where pages lie is not known");
  EXPECT_EQ(made.degradations[0].why, "move_pages: no");
  const std::string silent = replaced(replaced(run_report(), "[7000, 1000]", "[0, 0]"), "[3000, 5000]", "[0, 0]");
  const report_view unhinted = views_of(silent, "r.json").at(0);
  EXPECT_THAT(unhinted.matrices, SizeIs(1));
  EXPECT_TRUE(std::ranges::any_of(unhinted.facts, [](const view_fact& one) {
    return one.name == "traffic between domains and nodes" && one.text.starts_with("not known");
  }));
}

TEST(json_input, places_that_do_not_add_up_are_refused) {
  EXPECT_THAT(refusal(replaced(run_report(), "\"first\": [12, 0]", "\"first\": [12, 5]")),
              HasSubstr("member \"places.blocks[0].first\": expected at most the 16 asked pages in all, found 17"));
  EXPECT_THAT(refusal(replaced(run_report(), "\"asked\": 16", "\"asked\": 33")),
              HasSubstr("member \"places.blocks[0].asked\": expected at most the 32 pages, found 33"));
  EXPECT_THAT(refusal(replaced(run_report(), "\"last\": [7, 8]", "\"last\": [7]")),
              HasSubstr("member \"places.blocks[0].last\": expected 2 whole numbers, found 1"));
  EXPECT_THAT(refusal(replaced(run_report(), "\"nodes\": [0, 2]", "\"nodes\": [0, \"x\"]")),
              HasSubstr("member \"places.nodes[1]\": expected a whole number, found string"));
}

TEST(json_input, several_run_reports_of_one_process_are_several_views) {
  EXPECT_THAT(views_of("[" + run_report() + "," + run_report() + "]", "r.json"), SizeIs(2));
}

TEST(json_input, a_simulation_is_marked_as_simulated_in_each_view) {
  const auto views = views_of(simulation(), "s.json");
  ASSERT_THAT(views, SizeIs(1));
  EXPECT_TRUE(views[0].simulated);
  ASSERT_THAT(views[0].courses, SizeIs(2));
  EXPECT_EQ(views[0].courses[1].name, "laws");
  EXPECT_EQ(views[0].courses[1].iterations.at(0).kind, "profile");
  EXPECT_EQ(views[0].courses[1].iterations.at(1).kind, "trial");
  EXPECT_EQ(views[0].courses[1].iterations.at(1).why, "trying");
  EXPECT_EQ(views[0].courses[1].iterations.at(2).kind, "steady");
  ASSERT_THAT(views[0].what_if, SizeIs(2));
  EXPECT_EQ(views[0].what_if[1].gain, 0.5);
  ASSERT_THAT(views[0].pages, SizeIs(1));
  EXPECT_THAT(views[0].pages[0].before, ElementsAre(512, 0));
  EXPECT_THAT(views[0].pages[0].after, ElementsAre(256, 256));
}

TEST(json_input, a_benchmark_has_its_contenders) {
  const auto views = views_of(benchmark(), "b.json");
  ASSERT_THAT(views, SizeIs(1));
  ASSERT_THAT(views[0].contenders, SizeIs(1));
  EXPECT_EQ(views[0].contenders[0].median_ns, 11'900);
}

TEST(json_input, what_is_cut_off_is_refused_with_its_line_and_column) {
  EXPECT_EQ(refusal("{\n  \"version\": 1,\n"),
            "nearfork: r.json, line 3, column 1: the JSON ends here before it is complete; write the file again");
  EXPECT_THAT(refusal("{\n  \"version\": x}"), HasSubstr("r.json, line 2, column 14: this is no JSON"));
}

TEST(json_input, a_wrong_member_is_named_with_what_to_do) {
  EXPECT_THAT(refusal(replaced(run_report(), "\"failed_steals\": 47", "\"failed_steals\": -1")),
              AllOf(HasSubstr("r.json, member \"failed_steals\": expected a whole number of at least 0, found -1"),
                    HasSubstr("write it again with NEARFORK_REPORT=FILE.json")));
  EXPECT_THAT(refusal(replaced(run_report(), "\"name\": \"heat\",", "")),
              HasSubstr("member \"regions[0].name\": is missing, expected a text"));
  EXPECT_THAT(refusal(replaced(run_report(), "\"version\": 1", "\"version\": 2")),
              HasSubstr("this nearfork reads version 1, found 2"));
  EXPECT_THAT(refusal("[" + replaced(run_report(), "\"why\": []", "\"why\": [7]") + "]"),
              HasSubstr("member \"[0].regions[0].why[0]\": expected a text, found number"));
  EXPECT_THAT(refusal(replaced(simulation(), "\"time_ns\": 100.0", "\"time_ns\": \"fast\"")),
              AllOf(HasSubstr("expected a number, found string"), HasSubstr("nearfork sim --json")));
}

TEST(json_input, a_number_beyond_all_bounds_is_refused) {
  EXPECT_THAT(refusal(replaced(simulation(), "\"time_ns\": 100.0", "\"time_ns\": 1e999")), HasSubstr("r.json"));
}

TEST(json_input, other_files_are_refused_with_what_may_be_given) {
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("r.json is empty"), HasSubstr("nearfork sim --json")));
  EXPECT_THAT(refusal("{\"a\": 1}"), HasSubstr("neither \"policy_source\""));
  EXPECT_THAT(refusal("[]"), HasSubstr("the list has no run report"));
  EXPECT_THAT(refusal("run report of x\n"), HasSubstr("a file that ends in .json"));
  EXPECT_THAT(refusal("\x7f"
                      "ELF"),
              HasSubstr("r.json, byte 0: is none of the files that nearfork writes"));
}

}  // namespace
}  // namespace nearfork::tools
