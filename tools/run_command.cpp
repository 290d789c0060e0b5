#include "tools/run_command.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include <nearfork/error.hpp>

#include "base/output/standard_streams.hpp"
#include "runtime/lifetime/runtime_outputs.hpp"
#include "tools/command.hpp"
#include "tools/command_line.hpp"
#include "tools/failure_text.hpp"
#include "tools/terminal/colours.hpp"

namespace nearfork::tools {
namespace {

/// A failed write to standard output arrives here as fmt's exception.
std::string text_of(const std::exception& failure, const std::string& command_line) {
  const auto* const system = dynamic_cast<const std::system_error*>(&failure);
  if (system != nullptr && std::ferror(stdout) != 0) return lost_output_text(system->code().value());
  return failure_text(failure, command_line);
}

/// A complaint, with our name in red on a terminal.
std::string coloured(std::string text) {
  constexpr std::string_view own_name = "nearfork:";
  if (!text.starts_with(own_name)) return text;
  return painted(colour::red, std::string(own_name), stderr_has_colours()) + text.substr(own_name.size());
}

int run(int argc, char** argv) {
  CLI::App app("nearfork: tasks near their data", "nearfork");
  add_commands(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return end_of_parse(app, wrong);
  } catch (const exit_with& end) {
    return end.status;
  } catch (const std::exception& failure) {
    tell(coloured(text_of(failure, command_line_text(argc, argv))));
    return static_cast<int>(exit_code::failed);
  }
  return 0;
}

/// A command does not succeed if its text or its files did not arrive.
int status_after_output(int status) {
  if (status != 0) return status;
  try {
    flush_standard_output();
  } catch (const error& lost) {
    tell(coloured(lost.what()));
    return static_cast<int>(exit_code::failed);
  }
  return an_output_was_lost() ? static_cast<int>(exit_code::failed) : 0;
}

}  // namespace

int run_command(int argc, char** argv) noexcept {
  secure_standard_streams();
  try {
    return status_after_output(run(argc, argv));
  } catch (...) {
    std::fputs("nearfork: cannot even say what went wrong\n", stderr);
    return 1;
  }
}

}  // namespace nearfork::tools
