// Runs a command that the kernel denies something: capabilities, or system calls by a seccomp filter, which fail with EPERM as
// in a container.
// usage: deny [cap-sys-nice] [mbind] [move_pages] [set_mempolicy] [sched_setaffinity] -- COMMAND [ARGUMENTS]
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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

/// From the bounding set: the command that is executed then lacks it, root or not.
void drop_sys_nice() {
  if (::prctl(PR_CAPBSET_DROP, CAP_SYS_NICE, 0, 0, 0) != 0) refuse("prctl(PR_CAPBSET_DROP)");
  if (::prctl(PR_CAPBSET_READ, CAP_SYS_NICE, 0, 0, 0) != 0) throw std::runtime_error("CAP_SYS_NICE is still there");
}

sock_filter statement(unsigned code, unsigned value) {
  return {static_cast<unsigned short>(code), 0, 0, value};
}
sock_filter skip_unless_equal(unsigned value, unsigned char how_many) {
  return {static_cast<unsigned short>(BPF_JMP | BPF_JEQ | BPF_K), 0, how_many, value};
}

void deny_calls(const std::vector<unsigned>& numbers) {
  std::vector<sock_filter> program{
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      // Another architecture's numbers mean other calls; none of the lab's programs uses them.
      {static_cast<unsigned short>(BPF_JMP | BPF_JEQ | BPF_K), 1, 0, AUDIT_ARCH_X86_64},
      statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned number : numbers) {
    program.push_back(skip_unless_equal(number, 1));
    program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("prctl(PR_SET_NO_NEW_PRIVS)");
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) refuse("prctl(PR_SET_SECCOMP)");
}

unsigned number_of_call(std::string_view name) {
  for (const named_call& one : deniable)
    if (one.name == name) return one.number;
  throw std::runtime_error("cannot deny " + std::string(name));
}

/// Denies what is named before "--"; returns where the command starts.
int deny_named(int count, char** arguments) {
  std::vector<unsigned> calls;
  int at = 1;
  for (; at < count && std::string_view(arguments[at]) != "--"; ++at) {
    if (std::string_view(arguments[at]) == "cap-sys-nice") drop_sys_nice();
    else calls.push_back(number_of_call(arguments[at]));
  }
  if (at + 1 >= count) throw std::runtime_error("no command after --");
  if (!calls.empty()) deny_calls(calls);
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
