#include "sensors/energy_events.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace nearfork {
namespace {

class perf_package_counter final : public package_counter {
 public:
  explicit perf_package_counter(int file) noexcept : file_(file) {}
  ~perf_package_counter() override { ::close(file_); }

  std::optional<std::uint64_t> read() const noexcept override {
    std::uint64_t count = 0;
    if (::read(file_, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) return std::nullopt;
    return count;
  }

 private:
  const int file_;
};

}  // namespace

package_counter_opening open_package_counter(const event_code& event, int cpu) {
  perf_event_attr wanted{};
  wanted.size = PERF_ATTR_SIZE_VER1;
  wanted.type = event.type;
  wanted.config = event.config;
  const long file = ::syscall(SYS_perf_event_open, &wanted, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0) return {nullptr, errno};
  return {std::make_unique<const perf_package_counter>(static_cast<int>(file)), 0};
}

}  // namespace nearfork
