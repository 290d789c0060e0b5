// Which measured clocks are trusted.
#include "tools/topo/measured_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/topo/chained_instructions.hpp"
#include "tools/topo/kernel_clock.hpp"

namespace nearfork::tools {
namespace {

using testing::HasSubstr;

clock_readings of(double first, double second, double third, std::optional<double> kernel = std::nullopt) {
  return {.chains = {{"one", first}, {"two", second}, {"three", third}}, .kernel_ghz = kernel};
}

std::string why(const clock_readings& readings) {
  const reading made = agreed_clock(readings);
  EXPECT_FALSE(made.value) << *made.value << " GHz";
  return made.why;
}

TEST(agreed_clock, is_the_middle_one) {
  EXPECT_EQ(agreed_clock(of(2.5, 2.4, 2.6)).value, 2.5);
  EXPECT_EQ(agreed_clock(of(1.95, 2.6, 2.6)).value, 2.6) << "a multiplication of 4 cycles in place of 3";
  EXPECT_EQ(agreed_clock({.chains = {{"one", 3.0}, {"two", 3.1}}}).value, 3.0) << "the lower of two";
}

TEST(agreed_clock, is_refused_where_methods_differ) {
  for (const auto& folded : {of(2.5, 5, 2.5), of(2.5, 5, 5), of(2.5, 2.5, 7.5), of(1.2, 1.2, 4.8)})
    EXPECT_THAT(why(folded), HasSubstr("more than a factor of 1.5"));
  EXPECT_THAT(why(of(2.5, 5, 2.5)), HasSubstr("(2.50 GHz by one, 5.00 GHz by two, 2.50 GHz by three)"));
}

TEST(agreed_clock, is_refused_where_no_core_has_it) {
  for (const double ghz : {0.0, 0.29, 8.1, 13.0, -1.0}) EXPECT_THAT(why(of(ghz, ghz, ghz)), HasSubstr("0.3 to 8 GHz"));
  EXPECT_TRUE(agreed_clock(of(0.3, 0.3, 0.3)).value);
  EXPECT_TRUE(agreed_clock(of(8, 8, 8)).value);
}

TEST(agreed_clock, is_refused_where_the_kernel_says_something_else) {
  EXPECT_THAT(why(of(6, 6, 6, 1.2)), HasSubstr("the kernel's figure"));
  EXPECT_THAT(why(of(0.5, 0.5, 0.5, 3)), HasSubstr("3.00 GHz by the kernel"));
  EXPECT_EQ(agreed_clock(of(3.4, 3.4, 3.4, 2.1)).value, 3.4) << "a virtual machine tells a nominal clock";
}

TEST(agreed_clock, says_why_there_is_no_reading) {
  EXPECT_EQ(why({.why = "cannot run on PU 7"}), "cannot run on PU 7");
  EXPECT_NE(why({}), "");
}

TEST(instruction_chains, are_several_and_do_their_work) {
  ASSERT_GE(instruction_chains().size(), 2U);
  for (const instruction_chain& one : instruction_chains()) {
    EXPECT_GE(one.cycles, 1) << one.instruction;
    EXPECT_NE(one.run(5, 1), 0U) << one.instruction;
  }
}

TEST(kernel_clock, is_read_from_cpuinfo_by_processor) {
  const char* const text =
      "processor\t: 0\ncpu MHz\t\t: 2100.000\ncache size\t: 1 KB\n\nprocessor\t: 10\ncpu MHz\t\t: 800.5\n";
  EXPECT_EQ(cpuinfo_mhz(text, os_index{0}), 2100.0);
  EXPECT_EQ(cpuinfo_mhz(text, os_index{10}), 800.5);
  EXPECT_EQ(cpuinfo_mhz(text, os_index{1}), std::nullopt);
  EXPECT_EQ(cpuinfo_mhz("processor : 0\nBogoMIPS : 50\n", os_index{0}), std::nullopt);
  EXPECT_EQ(cpuinfo_mhz("processor : 0\ncpu MHz", os_index{0}), std::nullopt);
  EXPECT_EQ(cpuinfo_mhz("", os_index{0}), std::nullopt);
}

}  // namespace
}  // namespace nearfork::tools
