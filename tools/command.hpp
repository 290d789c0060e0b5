// The nearfork command: one file per subcommand. Each adds itself to the application.
#pragma once

#include <CLI/CLI.hpp>

namespace nearfork::tools {

/// The exit status of a subcommand. CLI11 has its own, 100 and up, for a command line that is not understood. `nearfork
/// --help` lists them.
enum class exit_code : int { ok = 0, failed = 1, wrong_answer = 2, interrupted = 130 };

/// Thrown by a subcommand that has printed its message and only needs to end with this status.
struct exit_with {
  explicit exit_with(exit_code code) : status(static_cast<int>(code)) {}
  explicit exit_with(int status_of_a_program) : status(status_of_a_program) {}
  int status;
};

void add_topo(CLI::App& app);
void add_doctor(CLI::App& app);
void add_bench(CLI::App& app);
void add_sim(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_config(CLI::App& app);
void add_record(CLI::App& app);
void add_graph(CLI::App& app);
void add_run(CLI::App& app);
void add_trace(CLI::App& app);
void add_report(CLI::App& app);
void add_advise(CLI::App& app);
void add_man(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace nearfork::tools
