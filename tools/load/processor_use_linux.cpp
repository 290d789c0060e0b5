#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tools/load/processor_use.hpp"

namespace nearfork::tools {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double seconds_used_by(int who) {
  rusage used{};
  return ::getrusage(who, &used) == 0 ? seconds_of(used.ru_utime) + seconds_of(used.ru_stime) : 0;
}

}  // namespace

std::optional<processor_use> read_processor_use() {
  std::ifstream stat("/proc/stat");
  std::string line;
  if (!std::getline(stat, line)) return std::nullopt;
  const auto ticks = busy_ticks(line);
  const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  if (!ticks || ticks_per_s <= 0) return std::nullopt;
  return processor_use{static_cast<double>(*ticks) / static_cast<double>(ticks_per_s),
                       seconds_used_by(RUSAGE_SELF) + seconds_used_by(RUSAGE_CHILDREN)};
}

}  // namespace nearfork::tools
