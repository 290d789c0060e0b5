#include "base/output/output_target.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"

namespace nearfork {
namespace {

constexpr int most_links = 40;  // as in the kernel
constexpr const char* another_path = "name another path";

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// The path without links and dots. Empty: there is no such folder.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : "";
}

/// The links in these folders are no paths: a descriptor may lead to a pipe, or to a file that has lost its name.
bool holds_our_descriptors(const std::string& real_folder) {
  return !real_folder.empty() &&
         (real_folder == real_path("/proc/self/fd") || real_folder == real_path("/proc/thread-self/fd"));
}

output_target open_descriptor(const std::string& path) {
  const std::string text = last_part(path);
  const auto read = parse_number(text, {0, std::numeric_limits<int>::max()});
  if (!read) throw output_obstacle{"it is no descriptor's number", another_path};
  const auto number = static_cast<int>(*read);
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    throw output_obstacle{"descriptor " + text + " is not open for writing",
                          "open it (" + text + ">FILE in a shell), or " + another_path};
  return {.way = output_way::descriptor, .path = path, .descriptor = number};
}

/// True if renaming cannot change the content: in /proc, and for a file that is a mount point.
bool has_fixed_name(const std::string& path) {
  if (real_path(folder_of(path)).starts_with("/proc/")) return true;
  struct statx facts{};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS, &facts) != 0) return false;
  return (facts.stx_attributes_mask & facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

void expect_right_to_write(const std::string& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw output_obstacle{with_number(errno), std::string("make it writable, or ") + another_path};
}

/// In a folder such as /tmp a user must not replace the files of others.
void expect_right_to_replace(const struct stat& file, const std::string& path) {
  struct stat folder{};
  if (::stat(folder_of(path).c_str(), &folder) != 0 || (folder.st_mode & S_ISVTX) == 0) return;
  const uid_t us = ::geteuid();
  if (us == 0 || us == file.st_uid || us == folder.st_uid) return;
  throw output_obstacle{
      "somebody else owns the file, and the folder " + folder_of(path) + " lets only owners replace files",
      another_path};
}

output_target existing(const struct stat& facts, std::string path) {
  constexpr const char* what_fits = "name a regular file, a FIFO or a character device";
  if (S_ISDIR(facts.st_mode)) throw output_obstacle{"it is a directory", "name a file in it"};
  if (S_ISSOCK(facts.st_mode)) throw output_obstacle{"it is a socket", what_fits};
  if (S_ISBLK(facts.st_mode)) throw output_obstacle{"it is a block device", what_fits};
  expect_right_to_write(path);
  if (!S_ISREG(facts.st_mode) || has_fixed_name(path))
    return {.way = output_way::written_into, .path = std::move(path), .is_fifo = S_ISFIFO(facts.st_mode)};
  expect_right_to_replace(facts, path);
  return {.way = output_way::replaced,
          .path = std::move(path),
          .there = file_owner{facts.st_mode & 0777U, facts.st_uid, facts.st_gid}};
}

output_target not_there_yet(std::string path) {
  const std::string name = last_part(path);
  if (name.empty() || name == "." || name == "..")
    throw output_obstacle{"it names a directory, which is not there", "name a file in a directory that exists"};
  return {.way = output_way::replaced, .path = std::move(path)};
}

}  // namespace

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

output_target target_of(const std::string& path) {
  if (path.empty()) throw output_obstacle{"the path is empty", "name a file"};
  if (path.find('\0') != path.npos) throw output_obstacle{"the path holds a NUL character", another_path};
  // First as the kernel follows links: it refuses links that strangers put into /tmp.
  struct stat facts{};
  const bool is_there = ::stat(path.c_str(), &facts) == 0;
  if (!is_there && errno != ENOENT) throw output_obstacle{with_number(errno), another_path};
  std::string end = path;
  for (int links = 0; links <= most_links; ++links) {
    if (holds_our_descriptors(real_path(folder_of(end)))) return open_descriptor(end);
    char text[PATH_MAX];
    const ssize_t length = ::readlink(end.c_str(), text, sizeof text);
    if (length < 0 || has_fixed_name(end)) return is_there ? existing(facts, end) : not_there_yet(end);
    std::string next(text, static_cast<std::size_t>(length));
    if (!next.starts_with('/')) next.insert(0, folder_of(end).append("/"));
    end = std::move(next);
  }
  throw output_obstacle{with_number(ELOOP), another_path};
}

}  // namespace nearfork
