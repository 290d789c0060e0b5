// The answer, the order of advice, and what is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/programs/recorded_program.hpp"
#include "tools/report/findings.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/report/page_writer.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

advice_item with_gain(std::string id, std::optional<double> gain) {
  return {.id = std::move(id), .what = "Do it.", .evidence = "why", .gain = gain, .gain_from = "a test"};
}

TEST(findings, advice_comes_by_gain_and_five_items_at_most) {
  const auto sorted =
      sorted_by_gain({with_gain("none", std::nullopt), with_gain("small", 0.05), with_gain("large", 0.5),
                      with_gain("b", 0.2), with_gain("c", 0.1), with_gain("d", 0.01)});
  ASSERT_THAT(sorted, SizeIs(5));
  EXPECT_EQ(sorted[0].id, "large");
  EXPECT_EQ(sorted[1].id, "b");
  EXPECT_EQ(sorted[4].id, "d");
}

TEST(findings, a_region_of_many_short_iterations_outweighs_one_long_iteration) {
  recordings::recording both = sample_files::flat_recording(8, 1000, 64);  // "loop"
  both.regions[0].iterations = 200;
  recordings::region once = sample_files::flat_recording(8, 2000, 64).regions[0];
  once.name = "once";
  once.iterations = 1;
  once.recorded[0].number = 1;
  both.regions.push_back(once);
  EXPECT_EQ(sim::recorded_region(both, {}).name, "loop") << "what sim and advise simulate";
  EXPECT_EQ(typical_bracket({view_of_recording(both, "g.nfg")})->region, "loop") << "what the page tells of";
}

TEST(findings, the_answer_is_of_the_recorded_iteration_and_of_the_first_advice) {
  const report_document made =
      document_of({view_of_recording(sample_files::flat_recording(8, 1000, 64), "g.nfg")}, {with_gain("x", 0.25)});
  EXPECT_THAT(made.how_fast,
              AllOf(HasSubstr("region loop takes 4.00 us with 2 workers"), HasSubstr("2.00 times that")));
  EXPECT_EQ(made.to_do, "Do it. Expected: 25% less time (a test).");
}

TEST(findings, a_simulated_answer_says_so) {
  const report_document made = document_of(views_of(sample_files::simulation(), "s.json"), {});
  EXPECT_THAT(made.how_fast, HasSubstr("Simulated: an iteration takes 50 ns on box with 2 workers under laws"));
  EXPECT_THAT(made.to_do, AllOf(HasSubstr("policy laws: 50% less"), HasSubstr("(simulated)")));
}

TEST(findings, what_simulations_assume_is_noted_once) {
  const std::string name = R"("name": "box")";
  std::string assumes = sample_files::simulation();
  ASSERT_NE(assumes.find(name), assumes.npos);
  assumes.insert(assumes.find(name), R"("assumed": ["no model beside box.xml"], )");
  std::vector<report_view> views = views_of(assumes, "s.json");
  views.push_back(views.front());
  EXPECT_THAT(document_of(views, {}).notes, testing::ElementsAre("no model beside box.xml"));
}

TEST(findings, what_no_file_holds_is_named_with_a_command) {
  const report_document made = document_of(views_of(sample_files::run_report(), "r.json"), {});
  EXPECT_THAT(made.missing, testing::Contains(AllOf(Field(&missing_part::part, "Timeline"),
                                                    Field(&missing_part::remedy, HasSubstr("nearfork trace")))));
  EXPECT_THAT(made.missing, Not(testing::Contains(Field(&missing_part::part, "Steals and traffic"))));
}

TEST(findings, nothing_is_missing_of_a_benchmark) {
  EXPECT_THAT(document_of(views_of(sample_files::benchmark(), "b.json"), {}).missing, IsEmpty());
}

TEST(page_writer, no_text_of_a_file_ends_a_script) {
  EXPECT_EQ(script_safe("\"</script><b>\""), "\"\\u003c/script>\\u003cb>\"");
}

TEST(page_writer, every_part_of_the_page_is_embedded) {
  for (const char* const name :
       {"page.html", "page.css", "words.js", "tables.js", "charts.js", "timeline.js", "tree.js", "page.js"})
    EXPECT_THAT(page_part(name), Not(IsEmpty())) << name;
  EXPECT_THAT(page_part("other.js"), IsEmpty());
}

report_view traced_view(bool simulated, std::uint64_t length_ns, double part) {
  report_view made{.file = "t.pftrace", .kind = "trace", .simulated = simulated};
  made.timeline.emplace().length_ns = length_ns;
  for (int i = 0; i < 2; ++i)
    made.worker_times.push_back({.name = "worker",
                                 .work_ns = static_cast<double>(length_ns) / 2,
                                 .search_ns = static_cast<double>(length_ns) / 2,
                                 .region_work_ns = part * 100,
                                 .region_ns = 100});
  return made;
}

TEST(findings, workers_are_judged_while_regions_run) {
  EXPECT_EQ(document_of({traced_view(false, 1000, 0.8)}, {}).held_back,
            "While regions run, 100 ns of the 1.00 us, workers work for 80% of their time (trace).");
}

TEST(findings, tasks_that_other_programs_delayed_are_no_measure) {
  report_view view{.file = "g.nfg", .kind = "recording"};
  view.brackets.push_back(
      {.region = "tiles", .iteration = 1, .work_ns = 3000, .span_ns = 100, .time_ns = 1000, .workers = 2});
  EXPECT_THAT(document_of({view}, {}).held_back, testing::HasSubstr("other programs took time from its tasks"));
  view.brackets.back().work_ns = 2050;
  EXPECT_THAT(document_of({view}, {}).held_back, testing::HasSubstr("within 0"));
}

TEST(findings, without_measured_traces_the_shortest_simulated_one_tells) {
  EXPECT_THAT(document_of({traced_view(true, 1000, 0.8), traced_view(true, 500, 0.9)}, {}).held_back,
              testing::HasSubstr("workers work for 90% of their time (trace, simulated)"));
  EXPECT_THAT(document_of({traced_view(true, 500, 0.9), traced_view(false, 1000, 0.8)}, {}).held_back,
              testing::HasSubstr("workers work for 80% of their time (trace)"));
}

}  // namespace
}  // namespace nearfork::tools
