#include "bench/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/compare/child.hpp"
#include "tools/bench/statistics.hpp"

namespace bench {
namespace {

using nearfork::tools::median;

void run_once(entry& into, const exhibit& shown, std::uint64_t size) {
  const unsigned workers = into.whose.is_ceiling() ? 1 : into.whose.workers;
  std::vector<std::string> arguments = {
      "--workers", std::to_string(workers),    "--size",     std::to_string(size),
      "--runs",    std::to_string(shown.runs), "--warm-ups", shown.runs > 1 ? "1" : "0"};
  if (!shown.input.empty()) {
    arguments.emplace_back("--input");
    arguments.emplace_back(shown.input);
  }
  std::vector<double> copies;
  double peak = 0;
  for (const outcome& one : run_copies(into.whose.program, arguments, into.whose.copies)) {
    if (!one.failure.empty()) into.failure = one.failure;
    copies.push_back(median(one.seconds));
    peak += one.peak_bytes;
    into.operations = one.operations;
    into.operation = one.operation;
  }
  into.seconds.push_back(median(copies));
  into.peak_bytes = into.peak_bytes == 0 ? peak : std::min(into.peak_bytes, peak);
}

}  // namespace

ratio ratio_of(const entry& of, const entry& to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(of.seconds.size(), to.seconds.size()); ++i)
    if (to.seconds[i] > 0) ratios.push_back(of.seconds[i] / to.seconds[i]);
  if (ratios.empty()) return {};
  const double middle = median(ratios);
  for (double& one : ratios) one = std::abs(one - middle);
  return {middle, median(std::move(ratios))};
}

const entry* find(const comparison& in, const std::function<bool(const entrant&)>& fits) {
  const auto found =
      std::ranges::find_if(in.entries, [&](const entry& e) { return e.failure.empty() && fits(e.whose); });
  return found == in.entries.end() ? nullptr : &*found;
}

namespace {

/// Prefers an entry of the same build; without one, takes the first entry that fits.
const entry* preferring_build(const comparison& in, const std::string& build,
                              const std::function<bool(const entrant&)>& fits) {
  const entry* const same = find(in, [&](const entrant& e) { return e.build == build && fits(e); });
  return same != nullptr ? same : find(in, fits);
}

}  // namespace

const entry* serial_for(const comparison& in, const entrant& one) {
  return preferring_build(in, one.build, [](const entrant& e) { return e.is_serial(); });
}
const entry* nearfork_for(const comparison& in, const entrant& one) {
  return preferring_build(in, one.build, [&](const entrant& e) { return e.is_nearfork() && e.workers == one.workers; });
}
const entry* alone(const comparison& in, const entrant& one) {
  return find(in, [&](const entrant& e) {
    return e.build == one.build && e.contender == one.contender && e.workers == 1 && e.copies == 1;
  });
}
const entry* ceiling_for(const comparison& in, const entrant& one) {
  return preferring_build(in, one.build, [&](const entrant& e) { return e.copies == one.workers && e.is_ceiling(); });
}

comparison compare(const exhibit& shown, std::uint64_t size, const std::vector<entrant>& entrants, unsigned repetitions,
                   const progress& tell) {
  comparison result{shown, size, {}};
  for (const entrant& one : entrants)
    result.entries.push_back({.whose = one, .seconds = {}, .operation = {}, .failure = {}});
  std::size_t done = 0;
  for (unsigned repetition = 0; repetition < repetitions; ++repetition)
    for (const std::size_t i : nearfork::tools::order_of_round(entrants.size(), repetition, 1)) {
      entry& next = result.entries[i];
      tell(next.whose, done++, entrants.size() * repetitions);
      if (next.failure.empty()) run_once(next, shown, size);
    }
  return result;
}

}  // namespace bench
