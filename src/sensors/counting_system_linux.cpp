#include "sensors/counting_system.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include "sensors/libpfm.hpp"
#include "sensors/perf_counters.hpp"

namespace nearfork {
namespace {

/// Empty if it cannot be read.
std::string read_file(const char* path) {
  std::string text;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(file, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(got));
  ::close(file);
  return text;
}

class linux_counting_system final : public counting_system {
 public:
  std::string cpuinfo() const override { return read_file("/proc/cpuinfo"); }

  std::optional<int> paranoid_level() const override {
    const std::string text = read_file("/proc/sys/kernel/perf_event_paranoid");
    int level = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), level);
    if (failure != std::errc{}) return std::nullopt;
    return level;
  }

  int try_hardware_counter() const override { return try_cycle_counter(); }
  event_encoding encode(const std::string& event) const override { return encode_by_libpfm(event); }
  perf_opening open(std::span<const event_code> events) const override { return open_perf_counters(events); }
};

}  // namespace

std::unique_ptr<const counting_system> live_counting_system() {
  return std::make_unique<linux_counting_system>();
}

}  // namespace nearfork
