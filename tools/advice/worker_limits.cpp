#include "tools/advice/worker_limits.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace nearfork::tools {
namespace {

using cause = worker_limit::cause;

std::optional<worker_limit> limit_of_run(std::uint32_t workers, const system_evidence& system) {
  if (system.quota && workers > *system.quota + 1)
    return worker_limit{.why = cause::quota,
                        .run = workers,
                        .present = static_cast<std::uint32_t>(std::max(1L, std::lround(*system.quota))),
                        .wanted = std::min(workers, system.pus)};
  if (workers > system.pus)
    return worker_limit{.why = cause::oversubscription, .run = workers, .present = system.pus, .wanted = system.pus};
  return std::nullopt;
}

}  // namespace

std::vector<worker_limit> worker_limits_of(const std::vector<report_view>& views, const system_evidence& system) {
  std::vector<worker_limit> made;
  std::uint32_t workers = 0;  // of the first run
  for (const report_view& view : views) {
    if (view.kind != "run report") continue;
    const auto of_run = static_cast<std::uint32_t>(view.workers);
    if (workers == 0) workers = of_run;
    if (!made.empty()) break;
    if (const auto found = limit_of_run(of_run, system)) made.push_back(*found);
  }
  if (system.pus * 2 > system.present_pus) return made;
  const std::uint32_t present = workers == 0 ? system.pus : std::min(workers, system.pus);
  made.push_back({.why = cause::affinity, .run = workers, .present = present, .wanted = system.present_pus});
  return made;
}

std::string name_of(worker_limit::cause why) {
  switch (why) {
    case cause::quota: return "quota";
    case cause::oversubscription: return "oversubscription";
    case cause::affinity: return "affinity";
  }
  return {};
}

}  // namespace nearfork::tools
