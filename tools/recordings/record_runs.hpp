// Several runs of one program, of which the least disturbed is kept. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace nearfork::tools {

/// What one run left.
struct recorded_run_facts {
  std::uint64_t tasks = 0;
  std::uint64_t work_ns = 0;  // of all recorded tasks
  std::optional<double> used_by_others{};
};
[[nodiscard]] recorded_run_facts facts_of_run(const recordings::recording& made, std::optional<double> used_by_others);

/// The run with the least work of its tasks. The program does the same each time, and other processes only ever add to
/// the times: an interrupted task counts the interruption. `runs` is not empty.
[[nodiscard]] std::size_t least_disturbed(std::span<const recorded_run_facts> runs);

/// What to tell the user: each run, which was kept, and how far the runs lie apart; doubts, if there are any.
[[nodiscard]] std::vector<std::string> lines_of(std::span<const recorded_run_facts> runs, std::size_t kept);

/// The doubt about one run: disturbed by others, and what to do. Empty if there is none.
[[nodiscard]] std::string doubt_of(const recorded_run_facts& run, std::size_t runs);

/// "g-2.nfg" for the second run of "g.nfg".
[[nodiscard]] std::string path_of_run(const std::string& path, std::size_t number);

}  // namespace nearfork::tools
