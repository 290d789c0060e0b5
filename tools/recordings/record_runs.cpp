#include "tools/recordings/record_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/load/processor_use.hpp"
#include "tools/recordings/recording_facts.hpp"

namespace nearfork::tools {
namespace {

/// Undisturbed runs of one program differ by less, most often.
constexpr double usual_spread = 0.1;

std::string others_text(const std::optional<double>& used_by_others) {
  return used_by_others ? fmt::format(", other processes kept {:.1f} cores busy", *used_by_others) : "";
}

bool same_tasks(std::span<const recorded_run_facts> runs) {
  return std::ranges::all_of(runs, [&](const recorded_run_facts& one) { return one.tasks == runs.front().tasks; });
}

}  // namespace

recorded_run_facts facts_of_run(const recordings::recording& made, std::optional<double> used_by_others) {
  recorded_run_facts facts{.tasks = 0, .work_ns = 0, .used_by_others = used_by_others};
  for (const recordings::region& region : made.regions)
    for (const recordings::iteration& one : region.recorded) {
      facts.tasks += one.graph.tasks();
      facts.work_ns += one.graph.work_ns();
    }
  return facts;
}

std::size_t least_disturbed(std::span<const recorded_run_facts> runs) {
  return static_cast<std::size_t>(std::ranges::min_element(runs, {}, &recorded_run_facts::work_ns) - runs.begin());
}

std::vector<std::string> lines_of(std::span<const recorded_run_facts> runs, std::size_t kept) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < runs.size(); ++i)
    lines.push_back(fmt::format("run {} of {}: {} tasks, work {}{}{}", i + 1, runs.size(), runs[i].tasks,
                                duration_text(runs[i].work_ns), others_text(runs[i].used_by_others),
                                i == kept ? "; kept, as its tasks took the least time" : ""));
  if (!same_tasks(runs))
    lines.emplace_back("the runs have different numbers of tasks, so their times cannot be compared well");
  const auto most = std::ranges::max_element(runs, {}, &recorded_run_facts::work_ns);
  const double spread =
      runs[kept].work_ns == 0 ? 0 : static_cast<double>(most->work_ns) / static_cast<double>(runs[kept].work_ns) - 1;
  if (spread > usual_spread)
    lines.push_back(fmt::format(
        "noisy: the work of the runs differs by up to {:.0f}%; what the simulator makes of one of them is no surer",
        100 * spread));
  return lines;
}

std::string doubt_of(const recorded_run_facts& run, std::size_t runs) {
  const std::string disturbed = disturbance_text(run.used_by_others);
  if (disturbed.empty()) return {};
  return fmt::format("{}: recorded times may be too long; record on an idle machine, or {}", disturbed,
                     runs == 1 ? "give --runs 5, which keeps the least disturbed of five"
                               : fmt::format("give more than --runs {}", runs));
}

std::string path_of_run(const std::string& path, std::size_t number) {
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + "-" + std::to_string(number) + whole.extension().string()))
      .string();
}

}  // namespace nearfork::tools
