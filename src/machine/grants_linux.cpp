#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "machine/cpu_quota.hpp"
#include "machine/grants.hpp"

namespace nearfork {
namespace {

std::string with_number(int error_number) {
  return std::string(std::strerror(error_number)) + " (errno " + std::to_string(error_number) + ")";
}

/// ENOSYS is a kernel without it; anything else is a refusal.
grant outcome(std::string what, std::string use, int error_number, std::string remedy) {
  if (error_number == 0) return {std::move(what), std::move(use), grant_state::granted, "works", ""};
  const grant_state state = error_number == ENOSYS ? grant_state::missing : grant_state::denied;
  return {std::move(what), std::move(use), state, with_number(error_number), std::move(remedy)};
}

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

/// A page of its own to try memory calls on.
class page {
 public:
  page() : bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ != MAP_FAILED) *static_cast<volatile char*>(memory_) = 1;
  }
  ~page() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  }
  page(const page&) = delete;
  page& operator=(const page&) = delete;
  [[nodiscard]] void* memory() const noexcept { return memory_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

grant pinning_granted() {
  cpu_set_t before;
  int refused = ::sched_getaffinity(0, sizeof before, &before) == 0 ? 0 : errno;
  if (refused == 0) {
    int first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    refused = ::sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno;
    if (refused == 0) ::sched_setaffinity(0, sizeof before, &before);
  }
  return outcome("pinning", "keeps each worker on its core", refused,
                 "allow sched_setaffinity in the container's seccomp profile, or set NEARFORK_PIN=off");
}

grant mbind_granted() {
  const page mine;
  unsigned long nodes = 1;  // node 0
  const long result = ::syscall(SYS_mbind, mine.memory(), mine.bytes(), MPOL_PREFERRED, &nodes, sizeof nodes * 8, 0);
  return outcome("mbind", "places memory on chosen nodes", result == 0 ? 0 : errno,
                 "run the container with --cap-add SYS_NICE, or a seccomp profile that allows mbind");
}

grant move_pages_granted() {
  const page mine;
  void* address = mine.memory();
  int node = 0;
  int status = 0;
  const long result = ::syscall(SYS_move_pages, 0, 1UL, &address, &node, &status, MPOL_MF_MOVE);
  return outcome("move_pages", "moves memory after its tasks, and says where it lies", result >= 0 ? 0 : errno,
                 "run the container with --cap-add SYS_NICE, or a seccomp profile that allows move_pages");
}

grant counters_granted() {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = PERF_COUNT_HW_CACHE_MISSES;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  const std::string use = "counts cache misses per task; without it bytes or time stand in";
  const long file = ::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
  if (file >= 0) {
    ::close(static_cast<int>(file));
    return outcome("counters", use, 0, "");
  }
  const int refused = errno;
  if (refused == ENOENT || refused == ENODEV || refused == EOPNOTSUPP)
    return {"counters", use, grant_state::missing,
            "this processor or hypervisor offers no cache-miss counter, " + with_number(refused), ""};
  return outcome("counters", use, refused, "sudo sysctl kernel.perf_event_paranoid=1");
}

/// A file of the kernel that may be there, and may be ours to read or write.
grant file_granted(std::string what, std::string use, const std::string& path, int how, std::string remedy) {
  if (::access(path.c_str(), F_OK) != 0)
    return {std::move(what), std::move(use), grant_state::missing, "there is no " + path, ""};
  if (::access(path.c_str(), how) != 0)
    return {std::move(what), std::move(use), grant_state::denied, path + ": " + with_number(errno), std::move(remedy)};
  return {std::move(what), std::move(use), grant_state::granted, path, ""};
}

grant balancing() {
  grant made{"NUMA balancing", "the kernel's own page moves work against placed memory", grant_state::missing, "", ""};
  const auto value = first_line("/proc/sys/kernel/numa_balancing");
  if (!value) made.detail = "this kernel has none, so nothing moves pages behind our back";
  else if (*value == "0") made.state = grant_state::granted, made.detail = "off, as it should be";
  else
    made.state = grant_state::denied, made.detail = "on: the kernel moves pages, too",
    made.remedy = "sudo sysctl kernel.numa_balancing=0";
  return made;
}

grant huge_pages() {
  grant made{"huge pages", "fewer TLB misses in large arrays", grant_state::missing,
             "this kernel has no transparent huge pages", ""};
  const auto value = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!value) return made;
  made.detail = "transparent huge pages: " + *value;
  made.state = value->find("[never]") == std::string::npos ? grant_state::granted : grant_state::denied;
  if (made.state == grant_state::denied)
    made.remedy = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
  return made;
}

grant processor_time() {
  grant made{"CPU quota", "more workers than granted cores are throttled all together", grant_state::granted,
             "none: all cores, all the time", ""};
  if (const auto quota = cpu_quota()) {
    made.state = grant_state::denied;
    made.detail =
        "the cgroup grants the time of " + std::to_string(*quota) + " cores; nearfork makes no more workers than that";
    made.remedy = "raise the container's --cpus, or cpu.max of its cgroup";
  }
  return made;
}

}  // namespace

const char* name_of(grant_state state) noexcept {
  switch (state) {
    case grant_state::granted: return "granted";
    case grant_state::denied: return "denied";
    case grant_state::missing: return "missing";
  }
  return "?";
}

std::vector<grant> try_everything() {
  return {
      pinning_granted(),
      mbind_granted(),
      move_pages_granted(),
      counters_granted(),
      file_granted("cpufreq", "sets and reads core frequencies",
                   "/sys/devices/system/cpu/cpu0/cpufreq/scaling_setspeed", W_OK,
                   "run as root, with the userspace governor: sudo cpupower frequency-set -g userspace"),
      file_granted("RAPL", "reads the energy that a run takes", "/sys/class/powercap/intel-rapl:0/energy_uj", R_OK,
                   "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"),
      balancing(),
      huge_pages(),
      processor_time(),
  };
}

}  // namespace nearfork
