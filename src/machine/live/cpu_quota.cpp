#include "machine/live/cpu_quota.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nearfork {
namespace {

/// Returns what is before the next `separator`, and removes it from `rest`. No streams here: they would touch half a
/// MiB of locale code at the start of every program.
[[nodiscard]] std::string_view take_piece(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

/// A cgroup as /proc/self/cgroup names it: "4:cpu,cpuacct:/docker/7" or, for v2, "0::/user.slice".
struct membership {
  bool unified;
  std::string path;
};

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty())
    if (take_piece(controllers, ',') == "cpu") return true;
  return false;
}

std::vector<membership> memberships(std::string_view text) {
  std::vector<membership> found;
  while (!text.empty()) {
    std::string_view line = take_piece(text, '\n');
    if (std::count(line.begin(), line.end(), ':') < 2) continue;
    (void)take_piece(line, ':');
    const std::string_view controllers = take_piece(line, ':');
    if (controllers.empty()) found.push_back({true, std::string(line)});
    else if (names_cpu(controllers)) found.push_back({false, std::string(line)});
  }
  return found;
}

/// "max", "-1" or nonsense: nullopt, because that is no limit.
std::optional<double> positive_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end == text.data() || number <= 0) return std::nullopt;
  return static_cast<double>(number);
}

std::optional<double> quotient(std::string_view quota, std::string_view period) {
  const auto time = positive_number(quota);
  const auto of = positive_number(period);
  return time && of ? std::optional(*time / *of) : std::nullopt;
}

/// cpu.max: "200000 100000" or "max 100000".
std::optional<double> unified_quota(const file_reader& read, const std::string& folder) {
  const auto text = read(folder + "/cpu.max");
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const std::string_view quota = take_piece(rest, ' ');
  return quotient(quota, rest);
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
    // From the group up to the root. Inside a container the group's own folder is often mounted as the root.
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

std::optional<double> cpu_quota() {
  return cpu_quota(&read_small_file);
}

}  // namespace nearfork
