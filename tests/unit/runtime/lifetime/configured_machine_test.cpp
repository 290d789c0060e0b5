#include "runtime/lifetime/configured_machine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/message_of.hpp"

namespace nearfork {
namespace {

TEST(configured_machine, says_who_named_one_that_is_not_known) {
  config settings;
  settings.machine = "nowhere";
  const std::string by_program = test::message_of([&] { (void)configured_machine(settings); });
  EXPECT_TRUE(by_program.find("no machine is called \"nowhere\"") != std::string::npos) << by_program;
  EXPECT_EQ(by_program.find("program"), std::string::npos) << by_program;
  settings.set("machine", "nowhere", "environment variable NEARFORK_MACHINE");
  EXPECT_EQ(test::message_of([&] { (void)configured_machine(settings); }),
            by_program + " (environment variable NEARFORK_MACHINE)");
}

}  // namespace
}  // namespace nearfork
