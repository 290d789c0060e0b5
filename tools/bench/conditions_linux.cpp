#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

#include "tools/bench/conditions.hpp"

namespace nearfork::tools {
namespace {

std::optional<std::string> text_of(const char* path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace

std::optional<std::string> read_governor() {
  auto text = text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (text) text->erase(std::min(text->find('\n'), text->size()));
  return text;
}

std::optional<processor_use> read_processor_use() {
  const auto text = text_of("/proc/stat");
  const auto ticks = text ? busy_ticks(*text) : std::nullopt;
  const long ticks_per_s = sysconf(_SC_CLK_TCK);
  if (!ticks || ticks_per_s <= 0) return std::nullopt;
  return processor_use{static_cast<double>(*ticks) / static_cast<double>(ticks_per_s),
                       static_cast<double>(std::clock()) / CLOCKS_PER_SEC};
}

}  // namespace nearfork::tools
