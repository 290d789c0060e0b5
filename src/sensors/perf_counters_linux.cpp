#include "sensors/perf_counters.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "sensors/miss_events.hpp"
#include "sensors/perf_event.hpp"
#include "sensors/user_mode_read.hpp"

namespace nearfork {
namespace {

constexpr int no_leader = -1;

/// Counts this thread on all cores. The leader starts the other events. It is pinned: it counts always or, after it
/// once had to make room, never again. So the kernel does not silently let our events take turns with those of other
/// users.
int open_event(const event_code& event, int leader) noexcept {
  perf_event_attr wanted = attr_of(event);
  wanted.disabled = leader == no_leader ? 1 : 0;
  wanted.pinned = wanted.disabled;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return open_perf_event(wanted, 0, leader);
}

std::size_t page_bytes() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// The file of one event and, if available, the page in which the kernel says how to read the event without a call.
class perf_event {
 public:
  explicit perf_event(int file) noexcept : file_(file) {
    if (!has_user_mode_read) return;
    void* const page = ::mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) page_ = static_cast<const volatile perf_event_mmap_page*>(page);
  }
  ~perf_event() {
    if (page_ != nullptr) ::munmap(const_cast<perf_event_mmap_page*>(page_), page_bytes());
    if (file_ >= 0) ::close(file_);
  }
  perf_event(perf_event&& other) noexcept
      : file_(std::exchange(other.file_, -1)), page_(std::exchange(other.page_, nullptr)) {}
  perf_event& operator=(perf_event&&) = delete;

  [[nodiscard]] int file() const noexcept { return file_; }

  /// Adds the count to `sum`. False: the kernel must be asked; that is also so for a counter that is not on the
  /// hardware now. volatile orders the reads: the kernel writes the page on this very core, when it interrupts us.
  [[nodiscard]] bool add_in_user_mode(std::uint64_t& sum) const noexcept {
    if (page_ == nullptr) return false;
    for (;;) {
      const std::uint32_t version = page_->lock;
      const std::uint32_t index = page_->index;
      if (page_->cap_user_rdpmc == 0 || index == 0) return false;
      const auto base = static_cast<std::uint64_t>(page_->offset);
      const std::uint64_t count = base + widened(read_hardware_counter(index - 1), page_->pmc_width);
      if (page_->lock != version) continue;
      sum += count;
      return true;
    }
  }

 private:
  int file_;
  const volatile perf_event_mmap_page* page_ = nullptr;
};

/// What read(2) returns for a group of events.
struct group_reading {
  std::uint64_t events = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint64_t counts[miss_event_row::most_events] = {};

  /// The two clocks may differ by this much, because starting takes time.
  [[nodiscard]] bool ran_always() const noexcept { return enabled_ns - running_ns <= 1000 + enabled_ns / 1000; }
};

class event_group final : public miss_counter {
 public:
  /// Returns 0 or an errno value.
  int open(std::span<const event_code> events) {
    if (events.empty() || events.size() > miss_event_row::most_events) return EINVAL;
    for (const event_code& event : events) {
      const int file = open_event(event, events_.empty() ? no_leader : events_.front().file());
      if (file < 0) return errno;
      events_.emplace_back(file);
    }
    return ::ioctl(events_.front().file(), PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : errno;
  }

  miss_reading read() noexcept override {
    std::uint64_t sum = 0;
    for (const perf_event& event : events_)
      if (!event.add_in_user_mode(sum)) return read_by_kernel();
    return {sum, true};
  }

 private:
  [[nodiscard]] miss_reading read_by_kernel() const noexcept {
    group_reading all;
    const auto got = ::read(events_.front().file(), &all, sizeof all);
    if (got <= 0) return {0, false};  // end of file: the events had to make room
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < all.events; ++i) sum += all.counts[i];
    return {sum, all.ran_always()};
  }

  std::vector<perf_event> events_;
};

}  // namespace

perf_opening open_perf_counters(std::span<const event_code> events) {
  auto made = std::make_unique<event_group>();
  if (const int refused = made->open(events); refused != 0) return {nullptr, refused};
  return {std::move(made), 0};
}

int try_cycle_counter() noexcept {
  const int file = open_event({.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES}, no_leader);
  if (file < 0) return errno;
  ::close(file);
  return 0;
}

}  // namespace nearfork
