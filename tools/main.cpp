#include <fmt/core.h>

#include <cstdio>
#include <exception>

#include "tools/command.hpp"

namespace nearfork::tools {
namespace {

int run(int argc, char** argv) {
  CLI::App app("nearfork: tasks near their data", "nearfork");
  app.set_version_flag("--version", "nearfork 0.1.0");
  app.require_subcommand(1);
  app.footer("Each subcommand has a --help of its own. Example: nearfork bench heat --workers 1,2");
  add_topo(app);
  add_doctor(app);
  add_bench(app);
  add_sim(app);
  add_reproduce(app);
  add_record(app);
  add_graph(app);
  add_config(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong);
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
