#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>

#include "tools/recordings/program_rights.hpp"

namespace nearfork::tools {
namespace {

bool may_run(const std::string& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string path_of_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/bin:/usr/bin";
  while (true) {
    const auto colon = folders.find(':');
    const std::string folder(folders.substr(0, colon));
    std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (may_run(candidate)) return candidate;
    if (colon == folders.npos) return {};
    folders.remove_prefix(colon + 1);
  }
}

std::string added_rights(const std::string& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) return {};
  struct statvfs mounted{};
  if (::statvfs(path.c_str(), &mounted) == 0 && (mounted.f_flag & ST_NOSUID) != 0) return {};
  if ((facts.st_mode & S_ISUID) != 0 && facts.st_uid != ::getuid())
    return "it runs with the rights of another user (setuid)";
  if ((facts.st_mode & S_ISGID) != 0 && facts.st_gid != ::getgid())
    return "it runs with the rights of another group (setgid)";
  // Root has these rights anyway, and keeps its environment.
  if (::getuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    return "it has capabilities of its own (see getcap " + path + ")";
  return {};
}

std::string why_unheard(const std::string& program, std::string_view also) {
  if (const std::string rights = added_rights(path_of_program(program)); !rights.empty())
    return rights + ", and nearfork ignores its environment there; run a copy without them";
  return "unless a file could not be written, which is said above then, it must use nearfork, outside of a runtime "
         "with a config of its own, which the environment does not reach" +
         std::string(also);
}

}  // namespace nearfork::tools
