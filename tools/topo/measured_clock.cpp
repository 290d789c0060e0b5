#include "tools/topo/measured_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nearfork::tools {
namespace {

std::string text_of(const clock_readings& of) {
  std::string text;
  for (const chain_reading& one : of.chains)
    text += fmt::format("{}{:.2f} GHz by {}", text.empty() ? "" : ", ", one.ghz, one.instruction);
  if (of.kernel_ghz) text += fmt::format(", {:.2f} GHz by the kernel", *of.kernel_ghz);
  return text;
}

bool agree(double one, double other, double within) {
  return std::max(one, other) <= within * std::min(one, other);
}

}  // namespace

reading agreed_clock(const clock_readings& of) {
  if (of.chains.empty()) return {std::nullopt, of.why.empty() ? "no chain of instructions was timed" : of.why};
  std::vector<double> sorted;
  for (const chain_reading& one : of.chains) sorted.push_back(one.ghz);
  std::ranges::sort(sorted);
  const auto refuse = [&](const std::string& why) {
    return reading{std::nullopt, fmt::format("{} ({})", why, text_of(of))};
  };
  if (!(sorted.front() >= least_clock_ghz && sorted.back() <= most_clock_ghz))
    return refuse(fmt::format("a clock outside {} to {} GHz is not believed", least_clock_ghz, most_clock_ghz));
  if (!agree(sorted.front(), sorted.back(), chains_agree_within))
    return refuse(fmt::format("the methods differ by more than a factor of {}", chains_agree_within));
  const double middle = sorted[(sorted.size() - 1) / 2];
  if (of.kernel_ghz && !agree(middle, *of.kernel_ghz, kernel_agrees_within))
    return refuse(fmt::format("the kernel's figure differs by more than a factor of {}", kernel_agrees_within));
  return {middle, {}};
}

}  // namespace nearfork::tools
