#include "machine/cpu_quota.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <vector>

namespace nearfork {
namespace {

/// A cgroup as /proc/self/cgroup names it: "4:cpu,cpuacct:/docker/7" or, for v2, "0::/user.slice".
struct membership {
  bool unified;
  std::string path;
};

std::vector<membership> memberships(const std::string& text) {
  std::vector<membership> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",,") found.push_back({true, line.substr(second + 1)});
    else if (controllers.find(",cpu,") != std::string::npos) found.push_back({false, line.substr(second + 1)});
  }
  return found;
}

/// "max", "-1" or nonsense: nothing, since that is no limit that we could name.
std::optional<double> positive_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end == text.data() || number <= 0) return std::nullopt;
  return static_cast<double>(number);
}

std::optional<double> quotient(const std::string& quota, const std::string& period) {
  const auto time = positive_number(quota);
  const auto of = positive_number(period);
  return time && of ? std::optional(*time / *of) : std::nullopt;
}

/// cpu.max: "200000 100000" or "max 100000".
std::optional<double> unified_quota(const file_reader& read, const std::string& folder) {
  const auto text = read(folder + "/cpu.max");
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  std::string quota, period;
  words >> quota >> period;
  return quotient(quota, period);
}

std::optional<double> legacy_quota(const file_reader& read, const std::string& folder) {
  const auto quota = read(folder + "/cpu.cfs_quota_us");
  const auto period = read(folder + "/cpu.cfs_period_us");
  return quota && period ? quotient(*quota, *period) : std::nullopt;
}

void tighten(std::optional<double>& least, std::optional<double> found) {
  if (found && (!least || *found < *least)) least = found;
}

}  // namespace

std::optional<double> cpu_quota(const file_reader& read) {
  std::optional<double> least;
  for (const membership& group : memberships(read("/proc/self/cgroup").value_or(""))) {
    // From the group up to the root; inside a container the group's own folder is often mounted as the root.
    for (std::string path = group.path;; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      if (group.unified) {
        tighten(least, unified_quota(read, "/sys/fs/cgroup" + path));
        tighten(least, unified_quota(read, "/sys/fs/cgroup/unified" + path));
      } else {
        tighten(least, legacy_quota(read, "/sys/fs/cgroup/cpu" + path));
        tighten(least, legacy_quota(read, "/sys/fs/cgroup/cpu,cpuacct" + path));
      }
      if (path.empty() || path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace nearfork
