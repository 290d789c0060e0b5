#include "tools/topo/kernel_clock.hpp"

#include <algorithm>
#include <string>

#include "base/text/number_text.hpp"

namespace nearfork::tools {
namespace {

/// "value" of a line "key<tab>: value".
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !line.starts_with(key)) return std::nullopt;
  if (line.substr(key.size(), colon - key.size()).find_first_not_of(" \t") != line.npos) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(' ', colon + 1);
  return begin == line.npos ? std::string_view{} : line.substr(begin);
}

}  // namespace

std::optional<double> cpuinfo_mhz(std::string_view cpuinfo, os_index pu) {
  const std::string wanted = std::to_string(number_of(pu));
  bool here = false;
  while (!cpuinfo.empty()) {
    const std::size_t end = std::min(cpuinfo.find('\n'), cpuinfo.size());
    const std::string_view line = cpuinfo.substr(0, end);
    if (const auto processor = value_of(line, "processor")) here = *processor == wanted;
    if (const auto mhz = value_of(line, "cpu MHz"); here && mhz) return parse_decimal(*mhz);
    cpuinfo.remove_prefix(std::min(end + 1, cpuinfo.size()));
  }
  return std::nullopt;
}

}  // namespace nearfork::tools
