// Programs that have more rights than their user.
#pragma once

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace nearfork::test {

/// Why the system would not make a program in this folder privileged; empty if it would.
inline std::string why_no_privileges_in(const std::filesystem::path& folder) {
  if (::geteuid() != 0) return "needs root, to make a program privileged";
  struct statvfs of{};
  if (::statvfs(folder.c_str(), &of) == 0 && (of.f_flag & (ST_NOSUID | ST_NOEXEC)) != 0)
    return folder.string() + " is mounted nosuid or noexec";
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return "this process may gain no privileges (no_new_privs)";
  return {};
}

/// Whoever starts the program may then use ports below 1024. False: the file's system keeps no capabilities.
inline bool give_capability(const std::string& program) {
  vfs_cap_data rights{};
  rights.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  rights.data[0].permitted = 1U << CAP_NET_BIND_SERVICE;
  return ::setxattr(program.c_str(), "security.capability", &rights, sizeof rights, 0) == 0;
}

/// For a child process, before it starts a program. It ends if the system refuses.
inline void become_nobody() {
  constexpr unsigned nobody = 65534;
  if (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(125);
}

}  // namespace nearfork::test
