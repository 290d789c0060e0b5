#include <fmt/core.h>

#include <cstdio>
#include <exception>

#include "tools/command_line.hpp"

namespace nearfork::tools {
namespace {

int run(int argc, char** argv) {
  CLI::App app("nearfork: tasks near their data", "nearfork");
  add_commands(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return end_of_parse(app, wrong);
  } catch (const exit_with& end) {
    return static_cast<int>(end.code);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return static_cast<int>(exit_code::failed);
  }
  return 0;
}

}  // namespace
}  // namespace nearfork::tools

int main(int argc, char** argv) {
  try {
    return nearfork::tools::run(argc, argv);
  } catch (...) {
    std::fputs("nearfork: cannot even say what went wrong\n", stderr);
    return 1;
  }
}
