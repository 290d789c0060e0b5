#include "base/threads/thread_activity.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "base/files/descriptor.hpp"

namespace nearfork {

/// The number of a thread's clock is part of the kernel's interface: pthread_getcpuclockid() computes it, too, but
/// needs a pthread_t, which ends with its thread.
std::optional<std::uint64_t> processor_ns(int thread) noexcept {
  constexpr unsigned of_thread = 4;
  constexpr unsigned time_on_processors = 2;
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | of_thread | time_on_processors);
  timespec used{};
  if (::clock_gettime(clock, &used) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(used.tv_nsec);
}

namespace {

/// "NUMBER (NAME) STATE ...": the name may have parentheses and spaces. '?': the system does not tell.
char state_of(int thread) noexcept {
  constexpr char unknown = '?';
  std::array<char, 64> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", thread);
  const descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return unknown;
  std::array<char, 128> text{};
  const ssize_t length = ::read(file.number(), text.data(), text.size());
  if (length <= 0) return unknown;
  const std::string_view seen(text.data(), static_cast<std::size_t>(length));
  const std::size_t name_ends = seen.rfind(") ");
  if (name_ends == std::string_view::npos || name_ends + 2 >= seen.size()) return unknown;
  return seen[name_ends + 2];
}

}  // namespace

bool waits_in_system(int thread) noexcept {
  const char state = state_of(thread);
  return state == 'S' || state == 'D';
}

bool runs_in_system(int thread) noexcept {
  return state_of(thread) == 'R';
}

}  // namespace nearfork
