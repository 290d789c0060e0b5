// The arrows between rooms, as the linker sees them. A declaration in a header that all may include can hide an arrow
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

/// What `nm` says about the objects whose paths `list_file` has, one path a line. Throws std::runtime_error if `nm`
/// says nothing.
[[nodiscard]] std::vector<object_symbols> read_objects(const std::string& nm, const std::string& list_file);

/// One line per symbol that an object needs and that is defined only in rooms to which no arrow leads from the object's
/// room. A symbol of a public header belongs to the room that defines it. Between sub-rooms only includes are checked,
/// because the functions of one class may be defined in several sub-rooms.
[[nodiscard]] std::vector<std::string> symbol_violations(const std::vector<object_symbols>& objects);

}  // namespace nearfork::arrows
