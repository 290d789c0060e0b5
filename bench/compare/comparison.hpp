// The results of one exhibit: repetitions of all entrants, interleaved.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/entrants.hpp"

namespace bench {

struct entry {
  entrant whose;
  std::vector<double> seconds;  // by repetition: the median of its runs
  double operations = 0;
  std::string operation;
  double peak_bytes = 0;  // the least over the repetitions: the memory that the program cannot do without
  std::string failure;
};

struct comparison {
  exhibit shown;
  std::uint64_t size;
  std::vector<entry> entries;
};

/// A ratio of two entries, paired by repetition, so that a disturbance of both cancels.
struct ratio {
  double median = 0;
  double spread = 0;  // the median deviation from `median`
};
[[nodiscard]] ratio ratio_of(const entry& of, const entry& to);

/// The first entry that fits.
[[nodiscard]] const entry* find(const comparison& in, const std::function<bool(const entrant&)>& fits);
/// The serial program that `one` is compared with: of the same build, else of the first that has one.
[[nodiscard]] const entry* serial_for(const comparison& in, const entrant& one);
/// nearfork with as many workers as `one`: of the same build, else of the first build that has one.
[[nodiscard]] const entry* nearfork_for(const comparison& in, const entrant& one);
/// The same contender with one worker.
[[nodiscard]] const entry* alone(const comparison& in, const entrant& one);
/// As many independent serial programs at once as `one` has workers.
[[nodiscard]] const entry* ceiling_for(const comparison& in, const entrant& one);

using progress = std::function<void(const entrant& next, std::size_t done, std::size_t all)>;

[[nodiscard]] comparison compare(const exhibit& shown, std::uint64_t size, const std::vector<entrant>& entrants,
                                 unsigned repetitions, const progress& tell);

}  // namespace bench
