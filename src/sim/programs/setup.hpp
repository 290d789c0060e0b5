// What a program does before its first iteration, so that its data are somewhere: a program's own phases, or one of
// these stand-ins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/programs/program.hpp"

namespace nearfork::sim {

enum class setup_kind : std::uint8_t {
  none,         // pages find their nodes in the first iteration
  serial,       // one thread writes all arrays, one after the other
  parallel,     // tasks like those of an iteration write all arrays
  cilk,         // MIT Cilk's heat: rows are allocated, then one buffer is written, by two such phases
  quarters,     // each domain has an equal part of each array
  interleaved,  // pages take turns
  recorded,     // the regions of a recording that ran before
};

/// The name, as on a command line.
[[nodiscard]] std::string_view name_of(setup_kind how) noexcept;
[[nodiscard]] std::vector<std::string> setup_names();
/// Throws: nearfork::error if there is no such kind.
[[nodiscard]] setup_kind setup_called(std::string_view name);

/// True if only the maker of a program can make its setup, because it knows the tasks.
[[nodiscard]] constexpr bool needs_tasks(setup_kind how) noexcept {
  return how == setup_kind::parallel || how == setup_kind::cilk || how == setup_kind::recorded;
}

/// Where pages lie after a setup that has no tasks.
[[nodiscard]] page_rule rule_of(setup_kind how) noexcept;

/// Gives the program that setup in place of what it has. Not for a setup that needs_tasks().
void set_up(program& what, setup_kind how);

}  // namespace nearfork::sim
