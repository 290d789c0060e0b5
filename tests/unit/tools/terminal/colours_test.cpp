#include "tools/terminal/colours.hpp"

#include <gtest/gtest.h>

#include "unit/tools/command_run.hpp"

namespace nearfork::tools {
namespace {

TEST(colours, are_for_terminals_that_have_them_and_users_that_want_them) {
  EXPECT_TRUE(colours_wanted(true, nullptr, "xterm"));
  EXPECT_TRUE(colours_wanted(true, "", "xterm")) << "an empty NO_COLOR does not count: no-color.org";
  EXPECT_FALSE(colours_wanted(true, "1", "xterm"));
  EXPECT_FALSE(colours_wanted(true, nullptr, "dumb"));
  EXPECT_FALSE(colours_wanted(true, nullptr, nullptr));
  EXPECT_FALSE(colours_wanted(false, nullptr, "xterm"));
}

TEST(colours, change_nothing_where_there_are_none) {
  EXPECT_EQ(painted(colour::red, "text", false), "text");
  EXPECT_EQ(painted(colour::red, "text", true), "\033[1;31mtext\033[0m");
  EXPECT_EQ(painted(colour::red, "", true), "");
}

TEST(colours, are_never_in_pipes) {
  for (const char* const command : {"doctor", "topo no-such-machine", "benhc"})
    EXPECT_EQ(command_run::run_command("TERM=xterm", std::string(NEARFORK_COMMAND " ") + command).output.find('\033'),
              std::string::npos)
        << command;
}

/// script(1) gives a command a terminal.
TEST(colours, are_on_terminals_unless_no_color_is_set) {
  if (command_run::run_command("", "script --version").status != 0) GTEST_SKIP() << "script(1) is not installed";
  const auto on_terminal = [](const std::string& settings) {
    return command_run::run_command(settings, "script -qec '" NEARFORK_COMMAND " doctor' /dev/null").output;
  };
  EXPECT_NE(on_terminal("-u NO_COLOR TERM=xterm").find("\033["), std::string::npos);
  EXPECT_EQ(on_terminal("NO_COLOR=1 TERM=xterm").find("\033["), std::string::npos);
}

}  // namespace
}  // namespace nearfork::tools
