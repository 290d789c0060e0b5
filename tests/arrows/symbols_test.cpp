#include "arrows/symbols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace nearfork::arrows;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string line_by_line(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& line : all) text += line + '\n';
  return text;
}

TEST(symbols, of_the_library_follow_the_arrows) {
  const auto objects = read_objects(NEARFORK_NM, NEARFORK_OBJECT_LIST);
  ASSERT_GT(objects.size(), 50U) << "too few objects in " NEARFORK_OBJECT_LIST;
  EXPECT_THAT(symbol_violations(objects), IsEmpty()) << line_by_line(symbol_violations(objects));
}

TEST(symbols, along_arrows_or_of_other_libraries_are_sound) {
  EXPECT_THAT(symbol_violations({{"src/plan/plans/plan.cpp", {"plan"}, {"machine", "memcpy", "order"}},
                                 {"src/machine/model/machine.cpp", {"machine"}, {}},
                                 {"src/plan/search/search_order.cpp", {"order"}, {}},
                                 {"src/sim/engine/engine.cpp", {}, {"plan", "machine"}}}),
              IsEmpty());
}

TEST(symbols, that_several_rooms_define_may_come_from_any) {
  EXPECT_THAT(symbol_violations({{"src/sim/engine/engine.cpp", {}, {"inline"}},
                                 {"src/runtime/workers/worker.cpp", {"inline"}, {}},
                                 {"src/base/histogram.cpp", {"inline"}, {}}}),
              IsEmpty());
}

TEST(symbols, against_an_arrow_are_found_and_named) {
  EXPECT_THAT(symbol_violations({{"src/sim/engine/engine.cpp", {}, {"_ZN8nearfork7name_ofEi"}},
                                 {"src/runtime/reports/report.cpp", {"_ZN8nearfork7name_ofEi"}, {}}}),
              ElementsAre(AllOf(StartsWith("src/sim/engine/engine.cpp: needs nearfork::name_of(int)"),
                                HasSubstr("src/runtime/reports/report.cpp"))));
}

}  // namespace
