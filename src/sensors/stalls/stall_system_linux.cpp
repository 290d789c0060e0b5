#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/files/descriptor.hpp"
#include "sensors/perf_event.hpp"
#include "sensors/stalls/hardware_stalls.hpp"

namespace nearfork {
namespace {

/// Counts this thread in user mode, on all cores. A group takes turns with others as a whole, so its ratio stays right.
descriptor open_in_turns(const event_code& event, int leader) noexcept {
  perf_event_attr wanted = attr_of(event);
  wanted.disabled = leader < 0;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
  return descriptor(open_perf_event(wanted, 0, leader));
}

class stalled_cycles final : public stall_counter {
 public:
  stalled_cycles(descriptor cycles, descriptor stalled) : cycles_(std::move(cycles)), stalled_(std::move(stalled)) {}

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
  descriptor cycles_;
  descriptor stalled_;
};

class linux_stall_system final : public stall_system {
 public:
  perf_stall_opening open(const event_code& stalled) const override {
    descriptor cycles = open_in_turns({.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES}, -1);
    if (!cycles.is_open()) return {nullptr, errno};
    descriptor beside = open_in_turns(stalled, cycles.number());
    if (!beside.is_open()) return {nullptr, errno};
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
