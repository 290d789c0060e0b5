// The numbers of workers of a sweep, which are no more than a machine has cores.
#include <fmt/format.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {

void sim_study::check_sweep() const {
  const auto cores = [](const simulated_machine& one) { return one.what->cores().size(); };
  const auto largest = std::ranges::max_element(machines, {}, cores);
  if (!sweep || sweep->empty() || sweep->back() <= cores(*largest)) return;
  throw error(fmt::format("nearfork: --sweep {}: {} has {}, and a sweep has at most one worker on each core",
                          sweep->back(), largest->name, counted(cores(*largest), "core")));
}

std::vector<std::uint32_t> sim_study::sweep_up_to(std::uint32_t most, std::uint32_t cores) const {
  if (sweep) return {sweep->begin(), std::ranges::upper_bound(*sweep, cores)};
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t one = 1; one < most; one *= 2) numbers.push_back(one);
  numbers.push_back(most);
  return numbers;
}

std::vector<std::uint32_t> sim_study::sweep_beyond(std::uint32_t cores) const {
  if (!sweep) return {};
  return {std::ranges::upper_bound(*sweep, cores), sweep->end()};
}

}  // namespace nearfork::tools
