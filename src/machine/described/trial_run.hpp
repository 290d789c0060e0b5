// Lets a child process do what this one should not do itself. hwloc's importers dereference null on hostile descriptions (found by
// fuzzing 2.9): a library must not bring its user's program down for a bad file. And other libraries obey variables of the
// environment, which a privileged program must not let them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace nearfork {

enum class trial_outcome : std::uint8_t {
  returned,
  crashed,
  took_too_long,
  not_tried,  // no child process could be had; errno says why
};

enum class child_environment : std::uint8_t {
  ours,
  none,  // no variable but those that keep hwloc from loading plugins
};

struct child_answer {
  trial_outcome outcome = trial_outcome::not_tried;
  bool threw = false;
  std::string text{};  // what was returned, or what() of the exception
};

/// Calls `act` in a child that sees a copy of our memory, silently, for at most `seconds`.
[[nodiscard]] child_answer ask_child(const std::function<std::string()>& act, unsigned seconds,
                                     child_environment environment);

/// Whether `act` survives; an exception is an answer, too.
[[nodiscard]] trial_outcome try_in_child(const std::function<void()>& act, unsigned seconds);

}  // namespace nearfork
