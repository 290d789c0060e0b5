// Runs a command that the kernel denies something: capabilities, or system calls by a seccomp filter, which fail with
// EPERM as in a container.
// usage: deny [cap-sys-nice] [mbind] [move_pages] [set_mempolicy] [sched_setaffinity] -- COMMAND [ARGUMENTS]
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "seccomp_filter.hpp"

namespace {

struct named_call {
  std::string_view name;
  unsigned number;
};
constexpr named_call deniable[] = {{"mbind", SYS_mbind},
                                   {"move_pages", SYS_move_pages},
                                   {"set_mempolicy", SYS_set_mempolicy},
                                   {"sched_setaffinity", SYS_sched_setaffinity}};

[[noreturn]] void refuse(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

/// Drops the capability from the bounding set, so that the command executed then lacks it, root or not.
void drop_sys_nice() {
  if (::prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0) != 0) refuse("prctl(PR_CAPBSET_DROP)");
  if (::prctl(PR_CAPBSET_READ, CAP_SYS_NICE, 0, 0, 0) != 0) throw std::runtime_error("CAP_SYS_NICE is still there");
}

unsigned number_of_call(std::string_view name) {
  for (const named_call& one : deniable)
    if (one.name == name) return one.number;
  throw std::runtime_error("cannot deny " + std::string(name));
}

/// Denies all that is named before "--". Returns where the command starts.
int deny_named(int count, char** arguments) {
  std::vector<nearfork::test::refused_call> calls;
  int at = 1;
  for (; at < count && std::string_view(arguments[at]) != "--"; ++at) {
    if (std::string_view(arguments[at]) == "cap-sys-nice") drop_sys_nice();
    else calls.push_back({.number = number_of_call(arguments[at])});
  }
  if (at + 1 >= count) throw std::runtime_error("no command after --");
  if (!calls.empty()) nearfork::test::refuse_calls(calls);
  return at + 1;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const int command = deny_named(count, arguments);
    ::execvp(arguments[command], arguments + command);
    refuse(arguments[command]);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "deny: %s\n", failure.what());
    return 126;
  }
}
