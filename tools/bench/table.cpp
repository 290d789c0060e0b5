#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text/message_text.hpp"
#include "tools/bench/result.hpp"
#include "tools/bench/statistics.hpp"
#include "tools/terminal/text_chart.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

constexpr std::size_t most_columns = 100;

/// Three or four digits and a unit.
std::string time_text(const time_summary& times, double ns) {
  if (times.count == 0) return "-";
  constexpr std::string_view units[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  for (; ns >= 999.95 && unit + 1 < std::size(units); ++unit) ns /= 1000;
  return fmt::format("{:.{}f} {}", ns, unit == 0 ? 0 : ns < 10 ? 2 : 1, units[unit]);
}

std::string ratio_text(const contender_result* baseline, const contender_result& one) {
  if (baseline == nullptr || one.times_ns.empty()) return "-";
  return fmt::format("{:.3f}", speed_ratio(baseline->times_ns, one.times_ns));
}

/// Breaks at blanks; the first line starts with `first` blanks, the others with `other` ones.
std::string wrapped(std::string_view text, std::size_t first, std::size_t other) {
  std::string lines;
  std::string line(first, ' ');
  for (bool at_start = true; !text.empty(); at_start = false) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!at_start && line.size() + 1 + word.size() > most_columns) {
      lines += line + '\n';
      line.assign(other, ' ');
      at_start = true;
    }
    line.append(at_start ? 0 : 1, ' ').append(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return lines + line + '\n';
}

std::string line_of(const contender_result& one, const workload_result& all) {
  const time_summary times = summarize(one.times_ns);
  return fmt::format("  {:<26.26} {:>7} {:>9} {:>8} {:>9} {:>9} {:>8} {:>8}  {}\n", one.label, one.workers,
                     time_text(times, times.median_ns), time_text(times, times.mad_ns), time_text(times, times.min_ns),
                     time_text(times, times.max_ns), ratio_text(serial_contender(all), one),
                     ratio_text(first_contender(all), one), one.wrong == 0 ? "right" : "WRONG");
}

}  // namespace

std::string conditions_text(const bench_conditions& conditions) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& value) {
    text += wrapped(fmt::format("{:<10} {}", what, value), 0, 11);
  };
  add("machine", conditions.machine);
  add("workers", conditions.workers);
  add("governor", conditions.governor);
  add("build", fmt::format("{}, {}", conditions.compiler, conditions.build));
  add("runs", fmt::format("{} after a warm-up, interleaved, in an order by seed {}; every answer checked; {}",
                          counted(conditions.repetitions, "repetition"), conditions.seed, conditions.started));
  for (const std::string& warning : conditions.warnings) add("WARNING", warning);
  return text;
}

std::string chart_text(const workload_result& result) {
  constexpr std::size_t columns = 60;
  std::vector<text_bar> bars;
  for (const contender_result& one : result.contenders) {
    const time_summary times = summarize(one.times_ns);
    bars.push_back({fmt::format("{}, {}", one.label, one.workers), times.median_ns, time_text(times, times.median_ns)});
  }
  return "  median of each\n" + bars_text(bars, columns, chart_characters_here());
}

std::string table_text(const workload_result& result) {
  std::string text = wrapped(fmt::format("{}: {}", result.name, result.description), 0, 2) +
                     wrapped(fmt::format("{} ({})", result.size, workloads::bytes_text(result.bytes)), 2, 2);
  text += fmt::format("\n  {:<26} {:>7} {:>9} {:>8} {:>9} {:>9} {:>8} {:>8}  {}\n", "contender", "workers", "median",
                      "+-", "min", "max", "x serial", "x first", "check");
  for (const contender_result& one : result.contenders) text += line_of(one, result);
  for (const std::string& warning : warnings_of(result)) text += wrapped("! " + warning, 2, 4);
  return text;
}

}  // namespace nearfork::tools
