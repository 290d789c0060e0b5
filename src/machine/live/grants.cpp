// Judges what was tried: it works, is refused, or is missing; and says what to do about it.
#include "machine/live/grants.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/text/message_text.hpp"
#include "machine/live/cpu_quota.hpp"

namespace nearfork {
namespace {

constexpr const char* frequencies = "/sys/devices/system/cpu/cpu0/cpufreq";
constexpr const char* energy = "/sys/class/powercap/intel-rapl:0/energy_uj";  // for AMD, too
constexpr const char* paranoid = "/proc/sys/kernel/perf_event_paranoid";
constexpr const char* balances = "/proc/sys/kernel/numa_balancing";
constexpr const char* transparent = "/sys/kernel/mm/transparent_hugepage/enabled";

/// What is tried, and what it is for.
struct subject {
  const char* what;
  const char* use;

  grant granted(std::string detail) const { return {what, use, grant_state::granted, std::move(detail), {}}; }
  grant denied(std::string detail, std::string remedy) const {
    return {what, use, grant_state::denied, std::move(detail), std::move(remedy)};
  }
  grant missing(std::string detail, std::string remedy = {}) const {
    return {what, use, grant_state::missing, std::move(detail), std::move(remedy)};
  }

  /// ENOSYS: the kernel does not have it, or a sandbox pretends so.
  grant judge(const trial& tried, const char* remedy) const {
    if (tried.error_number == ENOSYS) return missing("the kernel does not have it, " + with_number(ENOSYS), remedy);
    if (tried.error_number != 0) return denied(with_number(tried.error_number), remedy);
    if (!tried.took_effect) return denied("the system accepts it and does not do it", remedy);
    return granted("works");
  }
};

grant pinning(const system_probe& system) {
  return subject{"pinning", "keeps each worker on its core"}.judge(
      system.pin(), "allow sched_setaffinity in the container's seccomp profile, or set NEARFORK_PIN=off");
}

grant affinity(const system_probe& system) {
  return subject{"affinity", "says which cores are ours, and whether workers stay pinned"}.judge(
      system.ask_affinity(), "allow sched_getaffinity in the sandbox's seccomp profile");
}

grant environment(const system_probe& system) {
  const subject variables{"environment", "sets options by NEARFORK_* variables"};
  if (!system.privileged()) return variables.granted("obeyed");
  return variables.denied(
      "ignored: this program is privileged (setuid, setgid or file capabilities), and its environment is not its own",
      "set options by flags, or take the privilege from the file: sudo setcap -r FILE, sudo chmod ug-s FILE");
}

grant binding(const system_probe& system) {
  return subject{"mbind", "places memory on chosen nodes"}.judge(
      system.bind_page(), "run the container with --cap-add SYS_NICE, or a seccomp profile that allows mbind");
}

grant moving(const system_probe& system) {
  return subject{"move_pages", "moves memory after its tasks, and says where it lies"}.judge(
      system.move_page(), "run the container with --cap-add SYS_NICE, or a seccomp profile that allows move_pages");
}

grant counters(const system_probe& system) {
  const subject counting{"counters", "counts cache misses per task; without it bytes or time stand in"};
  const trial tried = system.count_cache_misses();
  const int refused = tried.error_number;
  if (refused == ENOENT || refused == ENODEV || refused == EOPNOTSUPP)
    return counting.missing("this processor or hypervisor offers no cache-miss counter, " + with_number(refused));
  if (refused == 0 && !tried.took_effect)
    return counting.denied("the counter never runs: another program holds it, or the hypervisor only shows it",
                           "sudo sysctl kernel.nmi_watchdog=0");
  const file_trial level = system.read(paranoid);
  // Above 2 Debian's kernel refuses all users. At 2 and below a container refuses.
  if (level.error_number == 0 && level.text.size() == 1 && level.text[0] > '2')
    return counting.judge(tried, "sudo sysctl kernel.perf_event_paranoid=2");
  return counting.judge(tried,
                        "run the container with --cap-add PERFMON, or a seccomp profile that allows perf_event_open");
}

/// Tries what NEARFORK_POWER=manage writes first: the governor where there is "userspace", else the limits.
grant frequency(const system_probe& system) {
  const subject setting{"cpufreq", "sets core frequencies (NEARFORK_POWER=manage)"};
  const std::string folder = frequencies;
  const file_trial governor = system.read(folder + "/scaling_governor");
  if (governor.error_number != 0)
    return setting.missing("no frequency can be set here: " + folder +
                           "/scaling_governor: " + with_number(governor.error_number));
  const std::string offered = system.read(folder + "/scaling_available_governors").text;
  const bool by_governor = (" " + offered + " ").find(" userspace ") != std::string::npos;
  const std::string path = folder + (by_governor ? "/scaling_governor" : "/scaling_max_freq");
  const file_trial now = system.read(path);
  const int refused = now.error_number != 0 ? now.error_number : system.write_back(path, now.text);
  if (refused == 0) return setting.granted(path + ", now " + now.text);
  return setting.denied(path + ": " + with_number(refused),
                        "sudo chmod a+w /sys/devices/system/cpu/cpufreq/policy*/scaling_*");
}

grant energy_counter(const system_probe& system) {
  const subject reading{"RAPL", "reads the energy that a run takes"};
  const int refused = system.read(energy).error_number;
  if (refused == 0) return reading.granted(energy);
  const std::string detail = std::string(energy) + ": " + with_number(refused);
  if (refused == ENOENT) return reading.missing(detail, "on real hardware: sudo modprobe intel_rapl_msr");
  return reading.denied(detail, "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj");
}

grant processor_time(std::optional<double> quota) {
  const subject time{"CPU quota", "more workers than granted cores are throttled all together"};
  if (!quota) return time.granted("none: all cores, all the time");
  char cores[32];
  std::snprintf(cores, sizeof cores, "%.3g", *quota);
  return time.denied(
      "the cgroup grants the time of " + std::string(cores) + " cores; nearfork makes no more workers than that",
      "raise the container's --cpus, or cpu.max of its cgroup");
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

grant numa_balancing_of(const system_probe& system) {
  const subject moves{"NUMA balancing", "the kernel's own page moves work against placed memory"};
  const file_trial value = system.read(balances);
  if (value.error_number != 0) return moves.missing("this kernel has none, so nothing moves pages behind our back");
  if (value.text == "0") return moves.granted("off, as it should be");
  return moves.denied("on: the kernel moves pages, too", "sudo sysctl kernel.numa_balancing=0");
}

grant huge_pages_of(const system_probe& system) {
  const subject pages{"huge pages", "fewer TLB misses in large arrays"};
  const file_trial value = system.read(transparent);
  if (value.error_number != 0)
    return pages.missing(std::string("no transparent huge pages: ") + transparent + ": " +
                         with_number(value.error_number));
  if (value.text.find("[never]") != std::string::npos)
    return pages.denied("transparent huge pages: " + value.text,
                        "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
  const trial advised = system.advise_huge_pages();
  if (advised.error_number == 0 && advised.took_effect) return pages.granted("transparent huge pages: " + value.text);
  return pages.judge(advised, "start the program without prctl(PR_SET_THP_DISABLE); container runtimes have an option");
}

std::vector<grant> grants_of(const system_probe& system, std::optional<double> cpu_quota) {
  return {pinning(system),       affinity(system),          binding(system),        moving(system),
          counters(system),      frequency(system),         energy_counter(system), numa_balancing_of(system),
          huge_pages_of(system), processor_time(cpu_quota), environment(system)};
}

std::vector<grant> try_everything() {
  return grants_of(*live_system(), cpu_quota());
}

}  // namespace nearfork
