#include "bench/compare/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/bench/statistics.hpp"

namespace bench {
namespace {

using nearfork::tools::median;

constexpr std::size_t columns = 9;
using row = std::array<std::string, columns>;

const row heading = {
    "contender",           "build", "workers", "median", "x serial", "x nearfork", "x as fast as alone", "above a call",
    "memory beyond serial"};

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.1f} us", seconds * 1e6);
}
std::string ratio_text(const ratio& r) {
  return fmt::format("{:.3g} +- {:.2g}", r.median, r.spread);
}

row row_of(const comparison& in, const entry& one) {
  row cells;
  const entrant& whose = one.whose;
  cells[0] = whose.is_ceiling() ? fmt::format("serial, {} copies", whose.copies) : whose.contender;
  cells[1] = whose.build;
  cells[2] = std::to_string(whose.workers);
  if (!one.failure.empty()) {
    cells[3] = one.failure;
    return cells;
  }
  cells[3] = time_text(median(one.seconds));
  const entry* const serial = serial_for(in, whose);
  if (serial != nullptr) cells[4] = ratio_text(ratio_of(one, *serial));
  if (const entry* const ours = nearfork_for(in, whose)) cells[5] = ratio_text(ratio_of(one, *ours));
  if (whose.is_ceiling() && serial != nullptr) {
    const ratio r = ratio_of(*serial, one);
    cells[6] = ratio_text({r.median * whose.copies, r.spread * whose.copies});
  } else if (const entry* const self = alone(in, whose); self != nullptr && whose.workers > 1) {
    cells[6] = ratio_text(ratio_of(*self, one));
  }
  if (serial != nullptr && whose.workers == 1 && one.operations > 0 && &one != serial)
    cells[7] = fmt::format("{:.2f} ns/{}", (median(one.seconds) - median(serial->seconds)) / one.operations * 1e9,
                           one.operation);
  if (serial != nullptr && &one != serial && !whose.is_ceiling())
    cells[8] = fmt::format("{:.0f} KiB", (one.peak_bytes - serial->peak_bytes) / 1024);
  return cells;
}

std::string title(const comparison& of) {
  const std::string title = fmt::format("{} {}", of.shown.problem, of.size);
  return of.shown.input.empty() ? title : fmt::format("{}, {}", title, of.shown.input);
}

}  // namespace

std::string text_table(const comparison& of) {
  std::vector<row> rows = {heading};
  for (const entry& one : of.entries) rows.push_back(row_of(of, one));
  std::array<std::size_t, columns> widths{};
  for (const row& r : rows)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], r[i].size());
  std::string text = title(of) + "\n";
  for (const row& r : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < columns; ++i)
      line += i < 2 ? fmt::format(" {:<{}}", r[i], widths[i]) : fmt::format("  {:>{}}", r[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string text_verdicts(const std::vector<verdict>& verdicts) {
  std::string text;
  for (const verdict& one : verdicts)
    text += fmt::format("  {}  {}: {}\n", one.met ? "met    " : "not met", one.target, one.measured);
  return text;
}

std::string page(const std::vector<comparison>& all, const circumstances& around) {
  std::string text =
      "# Performance\n\n"
      "`make bench` writes this page after one run. No figure is written by hand. The forks of fib are written in the\n"
      "style that costs least; [STYLES.md](STYLES.md) begins with the dearest.\n\n" +
      list_of(around) +
      "Each repetition gives a ratio of two times. The tables show the median of these ratios and their median "
      "deviation. A\nratio below 1 means less time.\n\n"
      "\"serial\" is the same program without a runtime. It is built with `-fno-optimize-sibling-calls`, so that it "
      "makes every\ncall. \"serial, 2 copies\" runs two such programs at once. It shows how much two processors of "
      "this machine do together.\nWhere a build has no serial program, its contenders are compared with the serial "
      "program of the first build.\n\n";
  text += "## Targets\n\n| target | measured | met |\n|---|---|---|\n";
  for (const verdict& one : judge(all))
    text += fmt::format("| {} | {} | {} |\n", one.target, one.measured, one.met ? "yes" : "**no**");
  if (!around.latencies.empty()) text += "\n## Latencies of nearfork\n\n```\n" + around.latencies + "```\n";
  text += "\n## Side by side\n";
  for (const comparison& one : all) {
    text += fmt::format("\n### {}\n\n|", title(one));
    for (const std::string& cell : heading) text += " " + cell + " |";
    text += "\n|---|---|";
    for (std::size_t i = 2; i < columns; ++i) text += "---:|";
    text += "\n";
    for (const entry& e : one.entries) {
      text += "|";
      for (const std::string& cell : row_of(one, e)) text += " " + cell + " |";
      text += "\n";
    }
  }
  return text;
}

nlohmann::json data(const std::vector<comparison>& all, const circumstances& around) {
  nlohmann::json exhibits_shown = nlohmann::json::array();
  for (const comparison& one : all) {
    nlohmann::json entries = nlohmann::json::array();
    for (const entry& e : one.entries) {
      nlohmann::json line = {
          {"contender", e.whose.contender}, {"build", e.whose.build},     {"workers", e.whose.workers},
          {"copies", e.whose.copies},       {"seconds", e.seconds},       {"operations", e.operations},
          {"operation", e.operation},       {"peak_bytes", e.peak_bytes}, {"right", e.failure.empty()}};
      if (!e.failure.empty()) line["failure"] = e.failure;
      if (const entry* const serial = serial_for(one, e.whose); serial != nullptr && e.failure.empty()) {
        const ratio r = ratio_of(e, *serial);
        line["time_to_serial"] = {{"median", r.median}, {"spread", r.spread}};
      }
      if (const entry* const ours = nearfork_for(one, e.whose); ours != nullptr && e.failure.empty()) {
        const ratio r = ratio_of(e, *ours);
        line["time_to_nearfork"] = {{"median", r.median}, {"spread", r.spread}};
      }
      entries.push_back(std::move(line));
    }
    nlohmann::json shown = {{"problem", one.shown.problem}, {"size", one.size}, {"entries", std::move(entries)}};
    if (!one.shown.input.empty()) shown["input"] = one.shown.input;
    exhibits_shown.push_back(std::move(shown));
  }
  nlohmann::json verdicts = nlohmann::json::array();
  for (const verdict& one : judge(all))
    verdicts.push_back({{"target", one.target}, {"measured", one.measured}, {"met", one.met}});
  return {{"machine", around.machine},
          {"kernel", around.kernel},
          {"when", around.when},
          {"repetitions", around.repetitions},
          {"quick", around.quick},
          {"others_cores", around.others_cores},
          {"targets", std::move(verdicts)},
          {"exhibits", std::move(exhibits_shown)}};
}

}  // namespace bench
