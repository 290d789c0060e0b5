#include "bench/compare/command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/output/standard_streams.hpp"

namespace bench {

int run_command(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& run) {
  nearfork::secure_standard_streams();
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& failure) {
    const int status = app.exit(failure);
    return status == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "{}: {}\n", name, failure.what());
    return 2;
  }
}

std::optional<nearfork::output_file> output_to(const std::string& path, const char* flag) {
  if (path.empty()) return std::nullopt;
  return nearfork::output_file(path, flag);
}

}  // namespace bench
