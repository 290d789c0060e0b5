#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <memory>

#include "machine/described/named_machines.hpp"

namespace nearfork {
namespace {

const int in_this_code = 0;

}  // namespace

bool is_folder(const std::string& path) noexcept {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool is_file(const std::string& path) noexcept {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

bool is_there(const std::string& path) noexcept {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0;
}

std::vector<std::string> names_in(const std::string& folder) {
  const auto close = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> open(::opendir(folder.c_str()), close);
  std::vector<std::string> names;
  if (!open) return names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream
  while (const dirent* const entry = ::readdir(open.get())) names.emplace_back(entry->d_name);
  return names;
}

/// The loader knows a program by the name it was called by, which may have links or be relative.
std::string folder_of_this_code() {
  Dl_info found{};
  if (::dladdr(&in_this_code, &found) == 0 || found.dli_fname == nullptr) return {};
  char resolved[PATH_MAX];
  const std::string named = found.dli_fname;
  // A program that was found through PATH has a name without a folder.
  const char* const path = named.find('/') == named.npos ? "/proc/self/exe" : named.c_str();
  if (::realpath(path, resolved) == nullptr) return {};
  const std::string whole = resolved;
  return whole.substr(0, whole.rfind('/'));
}

}  // namespace nearfork
