#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "tools/bench_conditions.hpp"

namespace nearfork::tools {
namespace {

std::optional<std::string> text_of(const char* path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::optional<std::string> read_governor() {
  auto text = text_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (text) text->erase(std::min(text->find('\n'), text->size()));
  return text;
}

/// The fewest of some readings, so that a thread that runs for a moment does not count.
std::optional<unsigned> read_running() {
  constexpr int readings = 5;
  std::optional<unsigned> fewest;
  for (int i = 0; i < readings; ++i) {
    const auto text = text_of("/proc/loadavg");
    const auto running = text ? running_threads(*text) : std::nullopt;
    if (!running) return std::nullopt;
    fewest = std::min(fewest.value_or(*running), *running);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fewest;
}

}  // namespace

system_reading read_system() {
  return {read_governor(), read_running()};
}

}  // namespace nearfork::tools
