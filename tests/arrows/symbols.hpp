// The arrows between rooms, as the linker sees them: a declaration in a header that all may include can hide an arrow
// from the test of includes.
#pragma once

#include <string>
#include <vector>

#include "arrows/arrows.hpp"

namespace nearfork::arrows {

/// One object file of the library.
struct object_symbols {
  std::string source;  ///< "src/plan/plans/plan.cpp"
  names defined;       ///< as the linker names them
  names needed;
};

/// What `nm` says of the objects whose paths `list_file` has, one a line. Throws std::runtime_error where it says
/// nothing.
[[nodiscard]] std::vector<object_symbols> read_objects(const std::string& nm, const std::string& list_file);

/// One line per symbol that an object needs and that only rooms define to which no arrow leads from its own. A symbol
/// of a public header belongs to the room that defines it. Between sub-rooms includes alone are looked at: the
/// functions of one class may be defined in several.
[[nodiscard]] std::vector<std::string> symbol_violations(const std::vector<object_symbols>& objects);

}  // namespace nearfork::arrows
