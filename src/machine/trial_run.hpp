// Tries something that may crash in a child process first. hwloc's importers dereference null on hostile descriptions (found by
// fuzzing 2.9); a library must not bring its user's program down for a bad file.
#pragma once

#include <cstdint>
#include <functional>

namespace nearfork {

enum class trial_outcome : std::uint8_t {
  returned,
  crashed,
  took_too_long,
  not_tried,  // no child process could be had; errno says why
};

/// Calls `act` in a child that sees a copy of our memory, silently, for at most `seconds`.
[[nodiscard]] trial_outcome try_in_child(const std::function<void()>& act, unsigned seconds);

}  // namespace nearfork
