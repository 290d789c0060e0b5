// Lets a child process do what this process should not do. hwloc's importers dereference null on hostile descriptions
// (found by fuzzing 2.9), and a library must not bring its user's program down because of a bad file. And other
// libraries obey variables of the environment, which a privileged program must not let them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace nearfork {

enum class trial_outcome : std::uint8_t {
  returned,
  crashed,
  took_too_long,
  not_tried,  // no child process could be started; errno says why
};

enum class child_environment : std::uint8_t {
  ours,
  none,  // no variables, except those that keep hwloc from loading plugins
};

struct child_answer {
  trial_outcome outcome = trial_outcome::not_tried;
  bool threw = false;
  std::string text{};  // the returned text, or what() of the exception
};

/// How long a child may read a machine.
inline constexpr unsigned most_child_seconds = 20;

/// Calls `act` in a child process, which sees a copy of our memory. The child is silent, and has at most `seconds`.
[[nodiscard]] child_answer ask_child(const std::function<std::string()>& act, unsigned seconds,
                                     child_environment environment);

/// Whether `act` survives. An exception counts as surviving.
[[nodiscard]] trial_outcome try_in_child(const std::function<void()>& act, unsigned seconds);

}  // namespace nearfork
