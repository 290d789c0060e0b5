#include "sensors/hotness/sample_system.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/files/descriptor.hpp"
#include "sensors/perf_event.hpp"

namespace nearfork {
namespace {

constexpr std::size_t pages_of_ring = 16;  // a power of two

int open_sampling(int thread, const event_code& code, std::uint64_t period, bool only_user, int leader) noexcept {
  perf_event_attr wanted = attr_of(code);
  if (leader < 0) wanted.disabled = 1;
  if (only_user) wanted.exclude_kernel = wanted.exclude_hv = 1;
  if (period > 0) {
    wanted.sample_period = period;
    wanted.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
    if (only_user) wanted.precise_ip = 2;  // IBS is always precise
  }
  return open_perf_event(wanted, thread, leader);
}

class linux_sample_ring final : public sample_ring {
 public:
  linux_sample_ring(int thread, const sampling_event& event)
      : leader_(event.beside ? open_sampling(thread, *event.beside, 0, event.only_user, -1) : -1),
        file_(event.beside && !leader_.is_open()
                  ? -1
                  : open_sampling(thread, event.sampled, event.period, event.only_user, leader_.number())) {
    error_number_ = file_.is_open() ? 0 : errno;
    if (!file_.is_open()) return;
    void* const got = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
    if (got == MAP_FAILED) error_number_ = errno;
    else begin_ = static_cast<std::byte*>(got);
  }
  ~linux_sample_ring() override {
    if (begin_ != nullptr) ::munmap(begin_, bytes());
  }
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

  void enable(bool on) noexcept override {
    const int first = leader_.is_open() ? leader_.number() : file_.number();
    (void)::ioctl(first, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  }

  /// Acquire: the kernel's records are there before the head that tells of them. Release: they were read before the
  /// tail that gives their room back.
  sampled_accesses take() override {
    auto* const control = reinterpret_cast<perf_event_mmap_page*>(begin_);
    const std::uint64_t head = std::atomic_ref<__u64>(control->data_head).load(std::memory_order_acquire);
    const std::uint64_t tail = control->data_tail;
    const std::vector<std::byte> records = unrolled({begin_ + page_bytes_, pages_of_ring * page_bytes_}, tail, head);
    std::atomic_ref<__u64>(control->data_tail).store(head, std::memory_order_release);
    return accesses_in(records);
  }

 private:
  [[nodiscard]] std::size_t bytes() const noexcept { return (pages_of_ring + 1) * page_bytes_; }

  std::size_t page_bytes_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  descriptor leader_;
  descriptor file_;
  std::byte* begin_ = nullptr;
  int error_number_ = 0;
};

class linux_sample_system final : public sample_system {
 public:
  ring_opening open(int thread, const sampling_event& event) override {
    auto made = std::make_unique<linux_sample_ring>(thread, event);
    if (made->error_number() != 0) return {nullptr, made->error_number()};
    return {std::move(made), 0};
  }
};

}  // namespace

std::unique_ptr<sample_system> live_sample_system() {
  return std::make_unique<linux_sample_system>();
}

}  // namespace nearfork
