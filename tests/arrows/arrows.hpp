// Which file may include which (docs/ARCHITECTURE.md, "Rooms and arrows").
#pragma once

#include "arrows/source_tree.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nearfork::arrows {

using names = std::set<std::string>;

/// Which rooms each room may include.
[[nodiscard]] const std::map<std::string, names>& arrows_of_rooms();

/// One line per include that breaks a rule: "file:line: what: which rule". Empty for a sound tree.
///
/// - A room of src/ includes itself and the rooms that its arrows lead to.
/// - A sub-room (src/plan/packing, tools/sim) includes itself, files that lie in its room itself, and the sub-rooms
///   that its own arrows lead to.
/// - Every room may include the floor: <nearfork/detail/...>, error.hpp and config.hpp. The other public headers are
///   for the rooms that implement them.
/// - include/ and workloads/ include no room; src/, include/ and workloads/ use no library that users would have to
///   install.
/// - plan reaches no thread, atomic, clock, file or environment, not even through the headers it includes.
/// - System headers appear in *_linux.cpp alone.
[[nodiscard]] std::vector<std::string> violations(const source_tree& tree);

/// The arrows between rooms ("plan" -> "machine") and those between sub-rooms ("plan/packing" -> "plan/plans").
[[nodiscard]] const std::map<std::string, std::set<std::string>>& arrows_between_folders();

}  // namespace nearfork::arrows
