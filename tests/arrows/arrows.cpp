#include "arrows/arrows.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

namespace nearfork::arrows {

const std::map<std::string, names>& arrows_of_rooms() {
  static const std::map<std::string, names> arrows{
      {"base", {}},
      {"machine", {"base"}},
      {"recording", {"machine", "base"}},
      {"memory", {"machine", "base"}},
      {"sensors", {"machine", "base"}},
      {"power", {"machine", "base"}},
      {"plan", {"machine", "base"}},
      {"sim", {"plan", "machine", "recording", "trace", "base"}},
      {"trace", {"machine", "base"}},
      {"runtime", {"plan", "machine", "memory", "sensors", "power", "recording", "trace", "base"}},
      {"malloc", {}},
      {"mpi", {}},
  };
  return arrows;
}

namespace {

/// The arrows between the sub-rooms of one room; sub-rooms without an arrow are not listed. A file that lies in the
/// room itself belongs to no sub-room.
const std::map<std::string, names>& arrows_of_sub_rooms() {
  static const std::map<std::string, names> arrows{
      {"base/output", {"base/files", "base/text"}},
      {"base/threads", {"base/files"}},
      {"machine/described", {"machine/model"}},
      {"machine/live", {"machine/described", "machine/model"}},
      {"machine/nodes", {"machine/model"}},
      {"memory/blocks", {"memory/system"}},
      {"memory/placed", {"memory/blocks", "memory/system"}},
      {"memory/pools", {"memory/system"}},
      {"memory/allocation", {"memory/blocks", "memory/placed", "memory/pools", "memory/system"}},
      {"plan/search", {"plan/crew"}},
      {"plan/plans", {"plan/clocks", "plan/crew", "plan/profile", "plan/search"}},
      {"plan/packing", {"plan/plans", "plan/profile"}},
      {"plan/traffic", {"plan/packing", "plan/plans", "plan/profile"}},
      {"plan/policies", {"plan/crew", "plan/packing", "plan/plans", "plan/profile", "plan/traffic"}},
      {"plan/course", {"plan/clocks", "plan/packing", "plan/plans", "plan/profile"}},
      {"runtime/workers",
       {"runtime/clocks", "runtime/counters", "runtime/fibers", "runtime/polling", "runtime/protocols",
        "runtime/pushing", "runtime/trials", "runtime/wakes"}},
      {"runtime/polling", {"runtime/protocols"}},
      {"runtime/wakes", {"runtime/protocols"}},
      {"runtime/regions",
       {"runtime/clocks", "runtime/malloc", "runtime/recording", "runtime/sight", "runtime/workers"}},
      {"runtime/sight", {"runtime/recording"}},
      {"runtime/relief", {"runtime/workers"}},
      {"runtime/forks", {"runtime/fibers", "runtime/regions", "runtime/relief", "runtime/workers"}},
      {"runtime/groups",
       {"runtime/fibers", "runtime/forks", "runtime/protocols", "runtime/regions", "runtime/workers"}},
      {"runtime/worker_loop", {"runtime/fibers", "runtime/groups", "runtime/workers"}},
      {"runtime/tasks", {"runtime/fibers", "runtime/forks", "runtime/regions", "runtime/relief", "runtime/workers"}},
      {"runtime/cells", {"runtime/protocols"}},
      {"runtime/webs", {"runtime/cells", "runtime/protocols", "runtime/pushing"}},
      {"runtime/dataflow",
       {"runtime/forks", "runtime/protocols", "runtime/pushing", "runtime/recording", "runtime/regions",
        "runtime/trials", "runtime/webs", "runtime/workers"}},
      {"runtime/streams", {"runtime/cells", "runtime/dataflow", "runtime/pushing", "runtime/webs"}},
      {"runtime/lifetime",
       {"runtime/clocks", "runtime/fibers", "runtime/forks", "runtime/malloc", "runtime/protocols", "runtime/recording",
        "runtime/pushing", "runtime/regions", "runtime/relief", "runtime/sight", "runtime/tracing",
        "runtime/worker_loop", "runtime/workers"}},
      {"runtime/tracing", {"runtime/workers"}},
      {"sim/memory", {"sim/machine", "sim/programs"}},
      {"sim/cores", {"sim/machine"}},
      {"sim/engine", {"sim/cores", "sim/machine", "sim/memory", "sim/programs"}},
      {"sim/dataflow", {"sim/engine", "sim/machine", "sim/memory", "sim/programs"}},
      {"tools/bench",
       {"tools/graph_files", "tools/load", "tools/output", "tools/recordings", "tools/report", "tools/terminal"}},
      {"tools/recordings", {"tools/load", "tools/output", "tools/terminal"}},
      {"tools/run", {"tools/recordings"}},
      {"tools/traces", {"tools/output", "tools/recordings"}},
      {"tools/report", {"tools/output", "tools/recordings"}},
      {"tools/sim",
       {"tools/graph_files", "tools/mpi_ranks", "tools/output", "tools/report", "tools/simulated", "tools/terminal"}},
      {"tools/advice", {"tools/recordings", "tools/report", "tools/sim", "tools/terminal"}},
      {"tools/reproduce", {"tools/output", "tools/sim", "tools/simulated", "tools/terminal"}},
      {"tools/topo", {"tools/output", "tools/simulated", "tools/terminal"}},
      {"tools/validation", {"tools/bench", "tools/output", "tools/sim", "tools/simulated"}},
  };
  return arrows;
}

/// The rooms whose nouns the public headers offer.
const names public_rooms{"runtime", "memory", "mpi"};

const names impure_headers{"thread",    "atomic",     "mutex",    "shared_mutex", "condition_variable",
                           "future",    "semaphore",  "latch",    "barrier",      "stop_token",
                           "chrono",    "ctime",      "csignal",  "fstream",      "cstdio",
                           "stdio.h",   "filesystem", "iostream", "cstdlib",      "stdlib.h",
                           "syncstream"};

bool starts_with_any(const std::string& text, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// A header of POSIX or Linux: in a system folder, or one with .h that is not C's own.
bool is_system_header(const std::string& header) {
  static const names single{"unistd.h", "sched.h",    "pthread.h", "signal.h", "fcntl.h",    "dirent.h", "poll.h",
                            "dlfcn.h",  "ucontext.h", "numa.h",    "numaif.h", "execinfo.h", "spawn.h",  "link.h",
                            "csignal",  "termios.h",  "pwd.h",     "glob.h",   "syscall.h",  "time.h",   "semaphore.h"};
  return single.contains(header) || starts_with_any(header, {"sys/", "linux/", "asm/", "bits/", "net/", "arpa/"});
}

bool is_foreign_library(const std::string& header) {
  return starts_with_any(
      header, {"fmt/", "nlohmann/", "CLI/", "gtest/", "gmock/", "rapidcheck", "tbb/", "oneapi/", "protozero/"});
}

bool is_floor(const std::string& header) {
  return header.starts_with("nearfork/detail/") || header == "nearfork/error.hpp" || header == "nearfork/config.hpp";
}

/// "plan" for "src/plan/plans/plan.hpp"; nothing outside src/.
std::optional<std::string> room_of(const std::string& path) {
  static const std::regex pattern("^src/([^/]+)/.*");
  std::smatch match;
  if (!std::regex_match(path, match, pattern)) return std::nullopt;
  return match[1];
}

/// The room that an include names: "machine/machine.hpp" -> "machine".
std::optional<std::string> included_room(const std::string& header) {
  const auto folder = header.substr(0, header.find('/'));
  if (folder == header || !arrows_of_rooms().contains(folder)) return std::nullopt;
  return folder;
}

/// "plan/policies" for "src/plan/policies/auto_policy.hpp", "tools/sim" for "tools/sim/sim.cpp" and all below;
/// nothing for files that lie in the room itself.
std::optional<std::string> sub_room_of(const std::string& path) {
  static const std::regex pattern("^(?:src/([^/]+/[^/]+)/[^/]+|(tools/[^/]+)/.+)$");
  std::smatch match;
  if (!std::regex_match(path, match, pattern)) return std::nullopt;
  return match[1].matched ? match[1] : match[2];
}

/// The room that a sub-room is part of: "plan" for "plan/policies".
std::string room_around(const std::string& sub_room) {
  return sub_room.substr(0, sub_room.find('/'));
}

/// The file of the tree behind an include, if it is one of ours.
std::optional<std::string> file_of(const source_tree& tree, const std::string& header) {
  for (const char* root : {"src/", "include/", ""})
    if (tree.contains(root + header)) return root + header;
  return std::nullopt;
}

class checker {
 public:
  explicit checker(const source_tree& tree) : tree_(tree) {}

  std::vector<std::string> run() {
    for (const auto& [path, text] : tree_) {
      path_ = path;
      check_room_is_known();
      for (const auto& include : includes_of(text)) check(include);
    }
    return std::move(found_);
  }

 private:
  void check_room_is_known() {
    const auto room = room_of(path_);
    if (room && !arrows_of_rooms().contains(*room))
      found_.push_back(path_ + ": src/" + *room + " is no room: add its arrows to tests/arrows/arrows.cpp");
  }

  void check(const include_line& include) {
    const auto room = room_of(path_);
    if (room) check_arrow(*room, include);
    if (const auto sub_room = sub_room_of(path_)) check_arrow_inside(*sub_room, include);
    if (room) check_public_header(*room, include);
    if (room == "plan") check_pure(include);
    if (starts_with_any(path_, {"include/", "workloads/"})) check_sees_no_room(include);
    if (starts_with_any(path_, {"include/", "workloads/", "src/"})) check_foreign_library(include);
    if (!starts_with_any(path_, {"tests/", "bench/"})) check_system_header(include);
  }

  void check_arrow(const std::string& room, const include_line& include) {
    const auto target = included_room(include.header);
    if (!target || *target == room) return;
    const auto arrows = arrows_of_rooms().find(room);
    if (arrows == arrows_of_rooms().end() || arrows->second.contains(*target)) return;
    report(include, "no arrow leads from " + room + " to " + *target);
  }

  void check_arrow_inside(const std::string& sub_room, const include_line& include) {
    const auto file = file_of(tree_, include.header);
    const auto target = file ? sub_room_of(*file) : std::nullopt;
    if (!target || *target == sub_room || room_around(*target) != room_around(sub_room)) return;
    const auto arrows = arrows_of_sub_rooms().find(sub_room);
    if (arrows != arrows_of_sub_rooms().end() && arrows->second.contains(*target)) return;
    report(include, "no arrow leads from " + sub_room + " to " + *target);
  }

  void check_public_header(const std::string& room, const include_line& include) {
    if (!include.header.starts_with("nearfork/") || is_floor(include.header) || public_rooms.contains(room)) return;
    report(include, room + " may include of the public headers detail/, error.hpp and config.hpp only");
  }

  void check_pure(const include_line& include) {
    names seen;
    if (const auto chain = impurity(include.header, seen))
      report(include, "plan sees values only, but this leads to" + *chain);
  }

  /// " a.hpp -> <atomic>" if `header` reaches an impure header.
  std::optional<std::string> impurity(const std::string& header, names& seen) const {
    if (impure_headers.contains(header) || is_system_header(header)) return " <" + header + ">";
    const auto file = file_of(tree_, header);
    if (!file || !seen.insert(*file).second) return std::nullopt;
    for (const auto& next : includes_of(tree_.at(*file)))
      if (const auto chain = impurity(next.header, seen)) return " " + header + " ->" + *chain;
    return std::nullopt;
  }

  void check_sees_no_room(const include_line& include) {
    if (included_room(include.header))
      report(include, "only files below src/, tools/, bench/ and tests/ see the rooms");
  }

  void check_foreign_library(const include_line& include) {
    const bool is_contender = path_.starts_with("workloads/contenders/");
    // Headers alone, which leave nothing to link.
    const bool writes_traces = path_ == "src/trace/perfetto_trace.cpp" && include.header.starts_with("protozero/");
    if (is_foreign_library(include.header) && !is_contender && !writes_traces)
      report(include, "the library and the workloads need hwloc and Boost.Context alone");
  }

  void check_system_header(const include_line& include) {
    if (is_system_header(include.header) && !path_.ends_with("_linux.cpp"))
      report(include, "system headers belong in *_linux.cpp, behind an interface that tests can fake");
  }

  void report(const include_line& include, const std::string& rule) {
    found_.push_back(path_ + ":" + std::to_string(include.line) + ": includes " + include.header + ": " + rule);
  }

  const source_tree& tree_;
  std::string path_;
  std::vector<std::string> found_;
};

}  // namespace

const std::map<std::string, std::set<std::string>>& arrows_between_folders() {
  static const auto all = [] {
    auto joined = arrows_of_rooms();
    joined.insert(arrows_of_sub_rooms().begin(), arrows_of_sub_rooms().end());
    return joined;
  }();
  return all;
}

std::vector<std::string> violations(const source_tree& tree) {
  return checker(tree).run();
}

}  // namespace nearfork::arrows
