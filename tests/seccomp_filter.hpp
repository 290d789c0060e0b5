// Makes the kernel refuse system calls of this process and its children from now on, as a container's sandbox does.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <vector>

namespace nearfork::test {

#if defined(__x86_64__)
inline constexpr unsigned this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr unsigned this_architecture = AUDIT_ARCH_AARCH64;
#endif

/// The system call that makes processes also makes threads, with other flags.
enum class refused_callers : unsigned char { all, no_threads };

struct refused_call {
  unsigned number = 0;
  int error_number = EPERM;
  refused_callers callers = refused_callers::all;
};

inline sock_filter filter_step(int code, unsigned value, unsigned char if_true = 0, unsigned char if_false = 0) {
  return {static_cast<unsigned short>(code), if_true, if_false, value};
}

inline void refuse_calls(const std::vector<refused_call>& calls) {
  const auto load_word = [](std::size_t at) {
    return filter_step(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(at));
  };
  constexpr int jump_if_equal = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr int jump_if_set = BPF_JMP | BPF_JSET | BPF_K;
  std::vector<sock_filter> program{
      load_word(offsetof(seccomp_data, arch)),
      // The numbers mean other calls on another architecture; no program of the tests uses one.
      filter_step(jump_if_equal, this_architecture, 1, 0), filter_step(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  for (const refused_call& one : calls) {
    const bool spares_threads = one.callers == refused_callers::no_threads;
    program.push_back(load_word(offsetof(seccomp_data, nr)));
    program.push_back(filter_step(jump_if_equal, one.number, 0, spares_threads ? 3 : 1));
    if (spares_threads) {
      program.push_back(load_word(offsetof(seccomp_data, args)));
      program.push_back(filter_step(jump_if_set, CLONE_THREAD, 1, 0));
    }
    program.push_back(filter_step(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(one.error_number)));
  }
  program.push_back(filter_step(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    throw std::system_error(errno, std::generic_category(), "prctl(PR_SET_NO_NEW_PRIVS)");
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0)
    throw std::system_error(errno, std::generic_category(), "prctl(PR_SET_SECCOMP)");
}

}  // namespace nearfork::test
