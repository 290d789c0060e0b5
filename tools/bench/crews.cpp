#include "tools/bench/crews.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "workloads/contenders/contenders.hpp"

namespace nearfork::tools {
namespace {

bench_contender serially() {
  return {"serial", "serial", 1, [](workloads::instance& problem) { problem.run_serial(); }, {}};
}

bench_contender by_nearfork(const config& settings, runtime& workers) {
  const std::string name = "nearfork " + settings.policy;
  return {name, name, workers.workers(),
          [&workers](workloads::instance& problem) { workers.run([&] { problem.run_nearfork(); }); },
          [&workers](workloads::instance& problem) { workers.run([&] { problem.reset_nearfork(); }); }};
}

bench_contender by_other(const workloads::contender& other, unsigned workers) {
  return {std::string(other.name), std::string(other.label), workers,
          [run = other.run, workers](workloads::instance& problem) { run(problem, workers); },
          [reset = other.reset, workers](workloads::instance& problem) { reset(problem, workers); }};
}

}  // namespace

bench_crews::bench_crews(const std::vector<config>& settings) {
  for (const config& one : settings) crews_.push_back({one, std::make_unique<runtime>(one)});
}

/// Each number of workers once, in the requested order.
std::vector<unsigned> bench_crews::sizes() const {
  std::vector<unsigned> sizes;
  for (const crew& one : crews_) {
    const unsigned workers = one.workers->workers();
    if (std::ranges::find(sizes, workers) == sizes.end()) sizes.push_back(workers);
  }
  return sizes;
}

std::vector<bench_contender> bench_crews::contenders_for(std::string_view workload,
                                                         const bench_request& request) const {
  std::vector<bench_contender> contenders;
  if (is_wanted(request, "serial")) contenders.push_back(serially());
  for (const unsigned workers : sizes()) {
    for (const crew& one : crews_)
      if (one.workers->workers() == workers && is_wanted(request, "nearfork"))
        contenders.push_back(by_nearfork(one.settings, *one.workers));
    for (const workloads::contender& other : workloads::contenders_of(workload))
      if (is_wanted(request, other.name)) contenders.push_back(by_other(other, workers));
  }
  if (contenders.empty())
    throw error(fmt::format("{} has none of the contenders {}", workload, fmt::join(request.contenders, ", ")));
  return contenders;
}

std::string bench_crews::workers_text() const {
  unsigned all = 0;
  unsigned bound = 0;
  std::string why;
  for (const crew& one : crews_)
    for (const worker_report& worker : one.workers->report().workers) {
      ++all;
      if (worker.os_pu) ++bound;
      else if (why.empty()) why = worker.pin_note;
    }
  const std::string count = fmt::format("{}", fmt::join(sizes(), " and "));
  const std::string pinned = bound == all ? "each bound to a PU"
                             : bound == 0 ? "not bound"
                                          : fmt::format("{} of {} bound", bound, all);
  return fmt::format("{}, nearfork's {}{}; the system places all other threads", count, pinned,
                     why.empty() ? "" : " (" + why + ")");
}

std::string bench_crews::explanation_of(std::string_view workload) const {
  std::string text;
  for (const crew& one : crews_) {
    text += fmt::format("  nearfork {} ({})\n", one.settings.policy, one.workers->workers());
    const run_report facts = one.workers->report();
    const auto region = std::ranges::find(facts.regions, workload, &region_report::name);
    if (region == facts.regions.end()) {
      text += "    has no region: plain stealing\n";
      continue;
    }
    text += fmt::format("    {}: {} plain, {} profiled, {} planned\n", counted(region->iterations, "iteration"),
                        region->plain, region->profiled, region->planned);
    for (const std::string& line : region->why) text += "    " + line + "\n";
  }
  return text;
}

unsigned bench_crews::most_workers() const {
  return std::ranges::max(sizes());
}

std::string bench_crews::planned_machine() const {
  return crews_.front().settings.machine.empty() ? "" : crews_.front().workers->report().machine;
}

}  // namespace nearfork::tools
