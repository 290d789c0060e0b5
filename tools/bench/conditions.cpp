#include "tools/bench/conditions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <sstream>

namespace nearfork::tools {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

#ifdef __OPTIMIZE__
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

#ifdef NEARFORK_ASSERTS
constexpr bool asserts = true;
#else
constexpr bool asserts = false;
#endif

}  // namespace

std::optional<std::uint64_t> busy_ticks(std::string_view stat) {
  // cpu  user nice system idle iowait irq softirq steal guest guest_nice; guests count in user and nice already.
  constexpr std::string_view all_cores = "cpu ";
  constexpr std::size_t idle = 3;
  constexpr std::size_t iowait = 4;
  constexpr std::size_t columns = 8;
  if (!stat.starts_with(all_cores)) return std::nullopt;
  std::istringstream line{std::string(stat.substr(0, stat.find('\n')).substr(all_cores.size()))};
  std::uint64_t busy = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    std::uint64_t ticks = 0;
    if (!(line >> ticks)) return std::nullopt;
    if (column != idle && column != iowait) busy += ticks;
  }
  return busy;
}

double cores_used_by_others(const processor_use& before, const processor_use& after, double elapsed_s) {
  const double others_s = (after.all_s - before.all_s) - (after.own_s - before.own_s);
  return elapsed_s > 0 ? std::max(0.0, others_s / elapsed_s) : 0;
}

std::string compiler_text() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string build_text() {
  return fmt::format("{}, asserts {}{}", optimised ? "optimised" : "not optimised", asserts ? "on" : "off",
                     sanitized ? ", sanitizer on" : "");
}

bool is_trustworthy_build() {
  return optimised && !asserts && !sanitized;
}

std::vector<std::string> condition_warnings(const condition_facts& facts) {
  std::vector<std::string> warnings;
  if (facts.most_workers > facts.cores)
    warnings.push_back(fmt::format("{} workers share {} cores: they wait for each other's time slices",
                                   facts.most_workers, facts.cores));
  if (facts.governor && *facts.governor != "performance")
    warnings.push_back(fmt::format(
        "the frequency governor is \"{}\": clocks change with load; as root: cpupower frequency-set -g performance",
        *facts.governor));
  if (!facts.trustworthy_build)
    warnings.push_back(
        fmt::format("this build is {}: build the preset release for times that mean something", build_text()));
  if (!facts.missing_contenders.empty())
    warnings.push_back(fmt::format("not compared with {}: this build lacks their library or was configured without it",
                                   fmt::join(facts.missing_contenders, ", ")));
  return warnings;
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
}

}  // namespace nearfork::tools
