#include <algorithm>
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

}  // namespace nearfork::tools
