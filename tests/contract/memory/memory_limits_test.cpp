// What a program is told when the system has no memory for it. Each test limits a child of its own, because limits
// belong to a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include <nearfork/nearfork.hpp>

#include "message_of.hpp"

namespace {

using nearfork::test::message_of;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20;

/// What `act` returns in a child.
template <class Act>
std::string told_by_child(Act act) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string told = act();
    _exit(write(ends[1], told.data(), told.size()) == static_cast<ssize_t>(told.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string told(4096, '\0');
  const ssize_t got = read(ends[0], told.data(), told.size());
  told.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0 ? told : "the child ended with status " + std::to_string(status) + " after: " + told;
}

/// Limits the addresses to those in use now and a few more. Under sanitizers a process has terabytes of addresses.
bool limit_addresses(std::size_t more_bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit wanted{most, most};
  return pages > 0 && setrlimit(RLIMIT_AS, &wanted) == 0;
}

// As under vm.overcommit_memory=2: mmap reports ENOMEM.
TEST(memory_limits, of_addresses_are_told_with_size_cause_and_remedy) {
  EXPECT_THAT(told_by_child([] {
                if (!limit_addresses(64 * mib)) return std::string("no limit");
                return message_of([] { const nearfork::array<char> one(512 * mib); });
              }),
              AllOf(HasSubstr("no memory for a block of 536870912 bytes"), HasSubstr("(errno 12)"),
                    HasSubstr("vm.overcommit_memory"), HasSubstr("ulimit -v")));
}

TEST(memory_limits, are_no_end_of_the_program) {
  EXPECT_EQ(told_by_child([] {
              if (!limit_addresses(64 * mib)) return std::string("no limit");
              (void)message_of([] { const nearfork::array<char> one(512 * mib); });
              nearfork::array<char> small(mib);
              small[mib - 1] = 1;
              return std::string(small[mib - 1] == 1 ? "well" : "spoiled");
            }),
            "well");
}

// An allocation must not fail for lack of the memory of kept blocks.
TEST(memory_limits, give_kept_blocks_back_first) {
  EXPECT_EQ(told_by_child([] {
              nearfork::config settings;
              settings.workers = 1;
              nearfork::runtime run(settings);
              nearfork::array<char>(48 * mib, {.where = nearfork::placing::interleaved()})[0] = 1;
              if (run.report().memory.kept_bytes != 48 * mib) return std::string("nothing is kept");
              if (!limit_addresses(32 * mib)) return std::string("no limit");
              return message_of([] { nearfork::array<char>(64 * mib)[0] = 1; });
            }),
            "no error");
}

// A full guard below each stack takes 1 GiB of addresses.
TEST(memory_limits, of_addresses_leave_stacks_a_smaller_guard) {
  EXPECT_EQ(told_by_child([] {
              if (!limit_addresses(512 * mib)) return std::string("no limit");
              nearfork::config settings;
              settings.workers = 2;
              return message_of([&] {
                nearfork::runtime run(settings);
                run.run([] { nearfork::fork_join([] {}, [] {}); });
                const nearfork::run_report report = run.report();
                if (report.fibers_small_guard != report.fibers_made) throw nearfork::error("a full guard");
                if (report.fibers_unguarded != 0) throw nearfork::error("no guard");
              });
            }),
            "no error");
}

TEST(memory_limits, of_locked_memory_are_told_with_their_remedy) {
  const std::string told = told_by_child([] {
    const rlimit wanted{mib, mib};
    if (setrlimit(RLIMIT_MEMLOCK, &wanted) != 0) return std::string("no limit");
    // A privileged process may lock any amount of memory: root gives that up.
    if (geteuid() == 0 && seteuid(65534) != 0) return std::string("still root");
    if (mlockall(MCL_FUTURE) != 0) return std::string("skipped: mlockall: ") + std::strerror(errno);
    if (mmap(nullptr, 64 * mib, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
      return std::string("skipped: mlockall does nothing here, as under sanitizers");
    return message_of([] { const nearfork::array<char> one(64 * mib); });
  });
  if (told.starts_with("skipped")) GTEST_SKIP() << told;
  EXPECT_THAT(told, AllOf(HasSubstr("no memory for a block of 67108864 bytes"), HasSubstr("ulimit -l")));
}

}  // namespace
