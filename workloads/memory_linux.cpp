#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "workloads/memory.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::string text_of(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// "max", which stands for no limit, and an absent file are no number.
std::uint64_t number_in(const char* path, std::uint64_t otherwise) {
  const std::string text = text_of(path);
  std::uint64_t number = 0;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{} ? number : otherwise;
}

/// Of the cgroup that a container sees as its root, version 2 or 1. Page cache counts as used, so this errs on the safe side.
std::uint64_t left_in_cgroup() {
  const auto left = [](const char* limit_path, const char* used_path) {
    const std::uint64_t limit = number_in(limit_path, unlimited);
    return limit == unlimited ? unlimited : limit - std::min(limit, number_in(used_path, 0));
  };
  return std::min(left("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                  left("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
}

}  // namespace

std::uint64_t available_memory() {
  const auto free = available_from_meminfo(text_of("/proc/meminfo"));
  return std::min(free.value_or(unlimited), left_in_cgroup());
}

}  // namespace nearfork::workloads
