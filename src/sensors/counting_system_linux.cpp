#include "sensors/counting_system.hpp"

#include <charconv>

#include "machine/live/small_file.hpp"
#include "sensors/libpfm.hpp"
#include "sensors/perf_counters.hpp"

namespace nearfork {
namespace {

std::string text_of_file(const char* path) {
  return read_small_file(path).value_or("");
}

class linux_counting_system final : public counting_system {
 public:
  std::string cpuinfo() const override { return text_of_file("/proc/cpuinfo"); }

  std::optional<int> paranoid_level() const override {
    const std::string text = text_of_file("/proc/sys/kernel/perf_event_paranoid");
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
