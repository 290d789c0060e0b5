// A small program on nearfork that says whether its answers are right, and what its run report complains of.
// usage: confined_run [deny CALL ERRNO]... [hide FOLDER]... [lock FILE]... [strict] [planned] [hot] [described]
//   [pretend]
//   deny       has the kernel refuse a system call
//   hide       puts an empty folder in its place (needs root)
//   lock       makes a file one that can only be read (needs root)
//   planned    runs under a policy that plans, counts misses and moves pages
//   hot        runs under a policy that asks how hot data are
//   described  runs on a described machine, which hwloc reads in a child process
//   pretend    behaves as a privileged program does
//   coarse     says only whether 8 tasks that wait for each other all begin, on 8 workers
// Ends with 0: right, 1: wrong, 2: nearfork::error, 3: usage, 77: cannot hide; after a minute by SIGALRM.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "base/privileged.hpp"
#include "tests/seccomp_filter.hpp"

namespace {

constexpr unsigned most_seconds = 60;
constexpr std::size_t elements = std::size_t{1} << 20;
enum exit_status : int { right = 0, wrong = 1, refused = 2, usage = 3, cannot_hide = 77 };

void deny(const std::string& call, const std::string& error_name) {
  using nearfork::test::refused_call;
  using nearfork::test::refused_callers;
  static const std::map<std::string, int> errors{
      {"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"EINVAL", EINVAL}, {"EACCES", EACCES}};
  const int error = errors.at(error_name);
  // clone3 passes its flags in memory, where a filter cannot see them. Without clone3 libraries use clone.
  const refused_call no_clone3{.number = SYS_clone3, .error_number = ENOSYS};
  if (call == "processes")
    return nearfork::test::refuse_calls({no_clone3, {SYS_clone, error, refused_callers::no_threads}});
  if (call == "threads") return nearfork::test::refuse_calls({no_clone3, {SYS_clone, error}});
  static const std::map<std::string, unsigned> calls{{"sched_getaffinity", SYS_sched_getaffinity},
                                                     {"sched_setaffinity", SYS_sched_setaffinity},
                                                     {"get_mempolicy", SYS_get_mempolicy},
                                                     {"set_mempolicy", SYS_set_mempolicy},
                                                     {"mbind", SYS_mbind},
                                                     {"move_pages", SYS_move_pages},
                                                     {"getcpu", SYS_getcpu},
                                                     {"membarrier", SYS_membarrier},
                                                     {"perf_event_open", SYS_perf_event_open},
                                                     {"madvise", SYS_madvise},
                                                     {"mincore", SYS_mincore},
                                                     {"prctl", SYS_prctl},
                                                     {"sigaltstack", SYS_sigaltstack},
                                                     {"sched_yield", SYS_sched_yield},
                                                     {"mprotect", SYS_mprotect},
                                                     {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
                                                     {"openat", SYS_openat}};
  nearfork::test::refuse_calls({{.number = calls.at(call), .error_number = error}});
}

/// From now on this process has a view of the file system that no other process has.
bool takes_own_view() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

void hide(const std::string& folder) {
  if (takes_own_view() && ::mount("none", folder.c_str(), "tmpfs", 0, nullptr) == 0) return;
  std::perror(("cannot hide " + folder).c_str());
  std::exit(cannot_hide);
}

void lock(const std::string& file) {
  const char* const path = file.c_str();
  if (takes_own_view() && ::mount(path, path, nullptr, MS_BIND, nullptr) == 0 &&
      ::mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0)
    return;
  std::perror(("cannot lock " + file).c_str());
  std::exit(cannot_hide);
}

std::uint64_t leaves_of(unsigned depth) {
  if (depth == 0) return 1;
  std::uint64_t left = 0;
  std::uint64_t right_side = 0;
  nearfork::fork_join([&] { left = leaves_of(depth - 1); }, [&] { right_side = leaves_of(depth - 1); });
  return left + right_side;
}

/// Writes and reads in three iterations, so that a policy may plan and move pages.
bool is_right_on(const nearfork::memory_options& options) {
  nearfork::array<std::uint64_t> numbers(elements, options);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < 3; ++i)
    nearfork::region({.name = "sum", .input_bytes = elements * 8}, [&] {
      nearfork::parallel_for(std::size_t{0}, elements, [&](std::size_t at) { numbers[at] += at; });
      sum = nearfork::parallel_reduce(
          std::size_t{0}, elements, std::uint64_t{0}, [&](std::size_t at) { return numbers[at]; },
          [](std::uint64_t a, std::uint64_t b) { return a + b; });
    });
  (void)nearfork::where_lies(numbers.data(), numbers.size_bytes());
  return sum == 3 * (elements * (elements - 1) / 2);
}

bool are_small_blocks_right() {
  std::vector<std::vector<int, nearfork::allocator<int>>> lists;
  for (int i = 0; i < 1000; ++i) lists.emplace_back(static_cast<std::size_t>(i % 100 + 1), i);
  long sum = 0;
  for (const auto& one : lists) sum += one.back();
  return sum == 999 * 1000 / 2;
}

/// Each task must be had while its owner does nothing but its own.
bool do_coarse_tasks_meet() {
  constexpr int tasks = 8;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> arrived{0};
    const auto task = [&arrived] {
      arrived.fetch_add(1);
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (arrived.load() < tasks && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      return arrived.load() == tasks;
    };
    bool met = true;
    nearfork::task_group group;
    for (int i = 1; i < tasks; ++i)
      group.spawn([&task, &met] {
        if (!task()) std::atomic_ref(met).store(false);
      });
    const bool last_met = task();
    group.sync();
    if (!met || !last_met) return false;
  }
  return true;
}

bool is_all_right() {
  using nearfork::placing;
  bool made = leaves_of(12) == 4096;
  nearfork::task_group group;
  for (int i = 0; i < 100; ++i) group.spawn([] { (void)leaves_of(4); });
  group.sync();
  for (const placing& one : {placing::follow_plan(), placing::interleaved(), placing::interleaved_by_bandwidth(),
                             placing::by_capacity(), placing::bound_to(0), placing::preferring(0)})
    made = is_right_on({.where = one}) && made;
  return are_small_blocks_right() && made;
}

exit_status run(const nearfork::config& settings, bool (*is_right)()) {
  nearfork::runtime runtime(settings);
  std::cout << "work begins\n";
  const bool ok = runtime.run([is_right] { return is_right(); });
  for (const auto& one : runtime.report().degradations)
    std::cout << "degradation: " << one.what << ": " << one.where << ": " << one.why << '\n';
  std::cout << "policy: " << settings.policy << "\nworkers: " << runtime.workers()
            << "\nmachine: " << runtime.report().machine_source << "\n"
            << (ok ? "right" : "wrong") << std::endl;
  return ok ? right : wrong;
}

}  // namespace

int main(int count, char** arguments) {
  ::alarm(most_seconds);
  try {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    std::optional<nearfork::pretended_privileges> pretended;
    if (std::ranges::find(words, "pretend") != words.end()) pretended.emplace();
    nearfork::config settings = nearfork::config::from_environment();
    bool (*is_right)() = is_all_right;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "coarse") {
        is_right = do_coarse_tasks_meet;
        settings.workers = 8;
      } else if (words[i] == "strict") settings.strict = true;
      else if (words[i] == "described") settings.machine = "package:2 l3:1 core:2 pu:1";
      else if (words[i] == "pretend") continue;
      else if (words[i] == "planned") settings.policy = "laws";
      else if (words[i] == "hot") settings.policy = "bats";
      else if (words[i] == "hide") hide(words.at(++i));
      else if (words[i] == "lock") lock(words.at(++i));
      else if (words[i] == "deny") {
        deny(words.at(i + 1), words.at(i + 2));
        i += 2;
      } else return usage;
    }
    return run(settings, is_right);
  } catch (const nearfork::error& failure) {
    std::cout << "refused: " << failure.what() << std::endl;
    return refused;
  } catch (const std::exception& failure) {
    std::cout << "exception: " << failure.what() << std::endl;
    return usage;
  }
}
