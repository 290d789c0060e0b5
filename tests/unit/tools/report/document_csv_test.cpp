#include "tools/report/document_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "tools/report/document_json.hpp"

namespace nearfork::tools {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream from(text);
  std::vector<std::string> made;
  for (std::string line; std::getline(from, line);) made.push_back(line);
  return made;
}

/// Numbers and texts, wherever they are.
std::size_t values_in(const nlohmann::ordered_json& of) {
  if (!of.is_structured()) return 1;
  std::size_t sum = 0;
  for (const auto& each : of) sum += values_in(each);
  return sum;
}

report_document small_document() {
  report_view view{.file = "t.pftrace", .kind = "trace", .policy = "laws, by name", .workers = 2};
  view.courses.push_back({.name = "heat",
                          .iterations = {{.number = 1, .time_ns = 10.5, .kind = "profile", .why = ""},
                                         {.number = 2, .time_ns = 8, .kind = "steady", .why = "moves \"roots\" down"}},
                          .why = {"first line", "second line"},
                          .each_ns = 8.0});
  view.matrices.push_back({.title = "Steals",
                           .row_is = "thief",
                           .column_is = "victim",
                           .rows = {"a", "b"},
                           .columns = {"a", "b"},
                           .cells = {{0, 1}, {2, 0}}});
  return {.title = "t.pftrace",
          .how_fast = "Fast.",
          .held_back = "Little.",
          .to_do = "Nothing.",
          .advice = {{.id = "policy", .what = "Use laws.", .evidence = "Faster.", .gain = 0.25, .gain_from = "here"}},
          .views = {view},
          .missing = {{.part = "Task tree", .remedy = "nearfork record"}}};
}

TEST(document_csv, has_each_value_of_the_json_once) {
  const report_document document = small_document();
  const auto json = json_of(document);
  const std::vector<std::string> lines = lines_of(csv_of(document));
  EXPECT_EQ(lines.front(), "file,part,row,member,value");
  const std::size_t heads = 2 + 1;  // version and title, and the file's name, which each line of its view has
  EXPECT_EQ(lines.size() - 1, values_in(json) - heads);
  EXPECT_THAT(lines, testing::IsSupersetOf({
                         R"(,answer,1,,Fast.)",
                         R"(,advice,1,gain,0.25)",
                         R"(,missing,1,part,Task tree)",
                         R"(t.pftrace,view,,kind,trace)",
                         R"(t.pftrace,view,,policy,"laws, by name")",
                         R"(t.pftrace,courses,1,each_ns,8.0)",
                         R"(t.pftrace,courses,1.iterations.1,time_ns,10.5)",
                         R"(t.pftrace,courses,1.iterations.2,why,"moves ""roots"" down")",
                         R"(t.pftrace,courses,1.why.2,,second line)",
                         R"(t.pftrace,matrices,1.cells.2.1,,2.0)",
                     }));
}

TEST(document_csv, of_advice_has_a_line_per_item) {
  std::vector<advice_item> advice = small_document().advice;
  advice.push_back({.id = "huge-pages", .what = "Allow, please.", .command = "sudo sh"});
  EXPECT_EQ(csv_of(advice),
            "id,gain,gain_from,what,evidence,command\n"
            "policy,0.25,here,Use laws.,Faster.,\n"
            "huge-pages,,,\"Allow, please.\",,sudo sh\n");
  EXPECT_EQ(csv_of(std::vector<advice_item>{}), "id,gain,gain_from,what,evidence,command\n");
}

}  // namespace
}  // namespace nearfork::tools
