#include <fstream>
#include <iterator>
#include <string>

#include "base/text/number_text.hpp"
#include "tools/topo/kernel_clock.hpp"

namespace nearfork::tools {
namespace {

std::optional<double> cpufreq_ghz(os_index pu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(number_of(pu)) + "/cpufreq/scaling_cur_freq");
  std::string khz;
  if (!std::getline(file, khz)) return std::nullopt;
  const auto number = parse_number(khz, {1, 100'000'000});
  return number ? std::optional(static_cast<double>(*number) / 1e6) : std::nullopt;
}

}  // namespace

std::optional<double> kernel_clock_ghz(os_index pu) {
  if (const auto ghz = cpufreq_ghz(pu)) return ghz;
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto mhz = cpuinfo_mhz(text, pu);
  return mhz && *mhz > 0 ? std::optional(*mhz / 1000) : std::nullopt;
}

}  // namespace nearfork::tools
