// A small program that manages clocks, which are files below a folder, and ends as it is told to.
// usage: managed_run FOLDER ACT
// Says "ready" once the clocks are taken over; ends with 2 and the reasons if they are not. After a minute SIGALRM
// ends it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include <nearfork/nearfork.hpp>

#include "runtime/lifetime/scheduler.hpp"

namespace {

constexpr unsigned most_seconds = 60;
enum exit_status : int { not_managed = 2, usage = 3, ended = 5 };

[[noreturn]] void wait_for_a_signal() {
  for (;;) ::pause();
}

unsigned depth_of(unsigned left) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(left);
  return left == 0 ? 0 : depth_of(left - 1) + static_cast<unsigned>(frame[0] != 0);
}

/// Ends a child in each of the ways in which children end, and says so.
void fork_children() {
  const std::function<void()> ends[] = {[] { std::exit(0); }, [] { std::quick_exit(0); }, [] { ::raise(SIGTERM); },
                                        [] { std::abort(); }};
  for (const auto& end : ends) {
    const pid_t child = ::fork();
    if (child == 0) {
      end();
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
  }
  std::cout << "children ended" << std::endl;
}

void act(const std::string& name, nearfork::runtime& on) {
  const std::map<std::string, std::function<void()>> acts{
      {"return", [] {}},
      {"wait", [] { wait_for_a_signal(); }},
      {"wait_in_task", [&] { on.run([] { wait_for_a_signal(); }); }},
      {"exit", [] { std::exit(ended); }},
      {"exit_in_task", [&] { on.run([] { std::exit(ended); }); }},
      {"quick_exit", [] { std::quick_exit(ended); }},
      {"abort", [] { std::abort(); }},
      {"throw", [] { throw std::runtime_error("nobody catches this"); }},
      {"fault", [] { ::raise(SIGSEGV); }},
      {"fault_in_task", [&] { on.run([] { ::raise(SIGSEGV); }); }},
      {"overflow", [&] { on.run([] { std::cout << depth_of(1'000'000) << '\n'; }); }},
      {"fork",
       [] {
         fork_children();
         wait_for_a_signal();
       }},
  };
  acts.at(name)();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace nearfork;
  if (argc != 3) return usage;
  ::alarm(most_seconds);
  config settings;
  settings.power = power_use::manage;
  settings.pin = pinning::on;
  settings.stack_bytes = std::size_t{64} << 10;
  runtime managed(settings, make_scheduler(settings, {.files = live_system_files(argv[1])}));
  const run_report report = managed.report();
  if (report.power.clocks == 0) {
    std::cout << to_text(report);
    return not_managed;
  }
  std::cout << "ready" << std::endl;
  act(argv[2], managed);
  return 0;
}
