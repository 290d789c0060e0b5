#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sensors/stalls/hardware_stalls.hpp"

namespace nearfork {
namespace {

/// A file that is closed at the end.
class event_file {
 public:
  explicit event_file(int number) noexcept : number_(number) {}
  ~event_file() {
    if (number_ >= 0) ::close(number_);
  }
  event_file(event_file&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  event_file& operator=(event_file&&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
};

/// Counts this thread in user mode, on all cores. A group takes turns with others as a whole, so its ratio stays right.
event_file open_in_turns(const event_code& event, int leader) noexcept {
  perf_event_attr wanted{};
  wanted.size = PERF_ATTR_SIZE_VER1;
  wanted.type = event.type;
  wanted.config = event.config;
  wanted.config1 = event.config1;
  wanted.config2 = event.config2;
  wanted.disabled = leader < 0;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
  return event_file(static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, leader, PERF_FLAG_FD_CLOEXEC)));
}

class stalled_cycles final : public stall_counter {
 public:
  stalled_cycles(event_file cycles, event_file stalled) : cycles_(std::move(cycles)), stalled_(std::move(stalled)) {}

  std::optional<std::uint64_t> stalled_ns() noexcept override {
    struct {
      std::uint64_t events;
      std::uint64_t enabled_ns;
      std::uint64_t cycles;
      std::uint64_t stalled;
    } now{};
    if (::read(cycles_.number(), &now, sizeof now) != sizeof now || now.cycles == 0) return std::nullopt;
    const double part = static_cast<double>(now.stalled) / static_cast<double>(now.cycles);
    return static_cast<std::uint64_t>(static_cast<double>(now.enabled_ns) * (part < 1 ? part : 1));
  }
  [[nodiscard]] int leader() const noexcept { return cycles_.number(); }

 private:
  event_file cycles_;
  event_file stalled_;
};

class linux_stall_system final : public stall_system {
 public:
  perf_stall_opening open(const event_code& stalled) const override {
    event_file cycles = open_in_turns({.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES}, -1);
    if (cycles.number() < 0) return {nullptr, errno};
    event_file beside = open_in_turns(stalled, cycles.number());
    if (beside.number() < 0) return {nullptr, errno};
    auto made = std::make_unique<stalled_cycles>(std::move(cycles), std::move(beside));
    if (::ioctl(made->leader(), PERF_EVENT_IOC_ENABLE, 0) != 0) return {nullptr, errno};
    return {std::move(made), 0};
  }
  event_code generic_event() const override {
    return {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND};
  }
};

}  // namespace

std::unique_ptr<const stall_system> live_stall_system() {
  return std::make_unique<linux_stall_system>();
}

}  // namespace nearfork
