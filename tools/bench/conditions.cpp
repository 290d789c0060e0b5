#include "tools/bench/conditions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

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
