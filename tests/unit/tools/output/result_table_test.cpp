#include "tools/output/result_table.hpp"

#include <gtest/gtest.h>

namespace nearfork::tools {
namespace {

const result_table two_rows{.id = "gains",
                            .title = "Gains",
                            .notes = {"Simulated."},
                            .columns = {{"program"}, {"ms", 2}, {"gain %"}},
                            .rows = {{"heat", 12.345, 50.0}, {"sor-ir", 1.0, {}}}};

TEST(result_table, lines_up_as_text) {
  EXPECT_EQ(text_of(two_rows),
            "Gains\n"
            "  program    ms gain %\n"
            "  heat    12.35   50.0\n"
            "  sor-ir   1.00      -\n"
            "  Simulated.\n");
}

TEST(result_table, is_a_table_in_a_page) {
  EXPECT_EQ(markdown_of(two_rows),
            "### Gains\n\n| program | ms | gain % |\n|---|---:|---:|\n| heat | 12.35 | 50.0 |\n| sor-ir | 1.00 | - "
            "|\n\nSimulated.\n");
}

TEST(result_table, has_a_line_for_each_cell_in_csv) {
  EXPECT_EQ(csv_of(two_rows),
            "gains,1,program,heat\ngains,1,ms,12.345\ngains,1,gain %,50\n"
            "gains,2,program,sor-ir\ngains,2,ms,1\n");
}

TEST(result_table, keeps_all_digits_in_json) {
  const nlohmann::json made = json_of(two_rows);
  EXPECT_EQ(made.at("id"), "gains");
  EXPECT_DOUBLE_EQ(made.at("rows").at(0).at("ms").get<double>(), 12.345);
  EXPECT_TRUE(made.at("rows").at(1).at("gain %").is_null());
  EXPECT_EQ(made.at("rows").at(1).at("program"), "sor-ir");
}

}  // namespace
}  // namespace nearfork::tools
