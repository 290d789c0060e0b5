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

/// "max", which means no limit, and an absent file give `otherwise`.
std::uint64_t number_in(const char* path, std::uint64_t otherwise) {
  const std::string text = text_of(path);
  std::uint64_t number = 0;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{} ? number : otherwise;
}

/// The limit of the cgroup that a container sees as its root, version 2 or 1. The limit and not what is left of it:
/// page cache counts as used there, but is given back when needed.
std::uint64_t cgroup_limit() {
  return std::min(number_in("/sys/fs/cgroup/memory.max", unlimited),
                  number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", unlimited));
}

}  // namespace

std::uint64_t available_memory() {
  const auto free = available_from_meminfo(text_of("/proc/meminfo"));
  return std::min(free.value_or(unlimited), cgroup_limit());
}

}  // namespace nearfork::workloads
