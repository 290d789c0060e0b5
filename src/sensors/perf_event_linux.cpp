#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sensors/perf_event.hpp"

namespace nearfork {

perf_event_attr attr_of(const event_code& event) noexcept {
  perf_event_attr made{};
  made.size = PERF_ATTR_SIZE_VER1;  // has all fields that we set, and every kernel takes it
  made.type = event.type;
  made.config = event.config;
  made.config1 = event.config1;
  made.config2 = event.config2;
  return made;
}

int open_perf_event(perf_event_attr& wanted, int thread, int leader) noexcept {
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, thread, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace nearfork
