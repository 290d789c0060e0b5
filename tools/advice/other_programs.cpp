#include "tools/advice/other_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace nearfork::tools {
namespace {

/// proc(5), USER_HZ: what Linux shows to programs, on all architectures that nearfork knows.
constexpr std::uint64_t ns_per_tick = 10'000'000;
/// Shorter times are a matter of rounding.
constexpr std::uint64_t ticks_enough = 10;
constexpr double part_worth_telling = 0.1;

}  // namespace

std::optional<processor_times> processor_times_in(std::string_view stat) {
  constexpr std::string_view first_word = "cpu ";
  if (!stat.starts_with(first_word)) return std::nullopt;
  std::istringstream line{std::string(stat.substr(first_word.size(), stat.find('\n') - first_word.size()))};
  std::array<std::uint64_t, 8> times{};  // user, nice, system, idle, iowait, irq, softirq, steal
  for (std::uint64_t& one : times)
    if (!(line >> one)) return std::nullopt;
  processor_times made;
  for (const std::uint64_t one : times) made.all += one;
  made.busy = made.all - times[3] - times[4];
  return made;
}

std::optional<processor_times> processor_times_now() {
  std::ifstream file("/proc/stat");
  return processor_times_in({std::string(std::istreambuf_iterator<char>(file), {})});
}

std::optional<double> part_of_others(const processor_times& before, const processor_times& after,
                                     std::uint64_t own_ns) {
  if (after.all < before.all + ticks_enough || after.busy < before.busy) return std::nullopt;
  const auto all = static_cast<double>(after.all - before.all);
  const auto busy = static_cast<double>(after.busy - before.busy);
  return std::clamp((busy - static_cast<double>(own_ns) / static_cast<double>(ns_per_tick)) / all, 0.0, 1.0);
}

std::string note_on_others(std::optional<double> part) {
  if (!part || *part < part_worth_telling) return {};
  return fmt::format(
      "While the program ran, other programs took {:.0f}% of this machine's processor time: measured times are longer "
      "than on a quiet machine.",
      100 * *part);
}

}  // namespace nearfork::tools
