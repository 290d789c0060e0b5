#include "tools/sim/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <nearfork/error.hpp>

#include "sim/programs/program.hpp"
#include "unit/tools/command_run.hpp"

namespace nearfork::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(scales, are_called_as_fractions) {
  EXPECT_EQ(scale_called(""), 1U);
  for (const std::string& name : scale_names()) EXPECT_EQ(scale_text(scale_called(name)), name);
  EXPECT_THROW((void)scale_called("1/3"), error);
  EXPECT_THROW((void)scale_called("16"), error);
}

TEST(scales, suit_programs_with_long_accesses) {
  const sim::program rows = sim::regular_grid({.rows = 64, .row_bytes = 2048, .leaf_rows = 8, .halo_rows = 0});
  EXPECT_DOUBLE_EQ(scaled_excess(rows, 1024, 64), 1);
  sim::program dots{.name = "dots", .input_bytes = 0, .graphs = {}, .course = {0}};
  sim::task_graph graph{task_tree()};
  const sim::data_access some[] = {{0, 8}, {1000, 100}};  // one line, and two to three
  graph.set_work(tree_root, 0, 0, some);
  dots.graphs.push_back(std::move(graph));
  EXPECT_DOUBLE_EQ(scaled_excess(dots, 1024, 64), (1024.0 + 2048.0) / (64 + 3 * 64));
}

command_run::ending nearfork_command(const std::string& arguments) {
  return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
}

const std::string box = " --machine 'package:2 [numa] l3:1(size=1MiB) l1:2(size=32KiB) core:1 pu:1' ";
const std::string heat = "sim heat --size rows=512,columns=512 --iterations 4 --policy random" + box;

TEST(scales, are_named_beside_the_results) {
  const auto shown = nearfork_command(heat + "--scale 1/8");
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.output, HasSubstr("Scaled by 1/8: a simulated line stands for 8"));
  const auto scaled = nlohmann::json::parse(nearfork_command(heat + "--scale 1/8 --json").output);
  const auto whole = nlohmann::json::parse(nearfork_command(heat + "--json").output);
  EXPECT_EQ(scaled.at("scale"), "1/8");
  EXPECT_FALSE(whole.contains("scale"));
  EXPECT_EQ(scaled.at("bytes"), whole.at("bytes"));
  const auto accesses = [](const nlohmann::json& of) {
    return of.at("machines")[0].at("policies")[0].at("total").at("caches")[0].at("accesses").get<double>();
  };
  EXPECT_NEAR(accesses(scaled), accesses(whole), 0.02 * accesses(whole)) << "in lines of the machine";
}

TEST(scales, are_refused_where_they_make_no_sense) {
  const auto small = nearfork_command(heat + "--scale 1/64");
  EXPECT_EQ(small.status, 1);
  EXPECT_THAT(small.output, AllOf(HasSubstr("L1"), HasSubstr("would have 8 lines"), HasSubstr("choose 1/32")));
  const auto dots = nearfork_command("sim fft --size test --policy random --scale 1/16" + box);
  EXPECT_EQ(dots.status, 1);
  EXPECT_THAT(dots.output, AllOf(HasSubstr("accesses of fft touch"), HasSubstr("without --scale")));
}

}  // namespace
}  // namespace nearfork::tools
