#include "power/state_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <nearfork/detail/seam.hpp>

namespace nearfork {
namespace {

constexpr const char* file_name = "/frequencies";
constexpr mode_t writable_by_others = S_IWGRP | S_IWOTH;

bool is_own(const struct stat& seen, mode_t kind) noexcept {
  return (seen.st_mode & S_IFMT) == kind && seen.st_uid == ::geteuid() && (seen.st_mode & writable_by_others) == 0;
}

/// 0: nobody has it locked. A lock of the process itself does not count.
int holder_of(int file) noexcept {
  struct flock asked = {};
  asked.l_type = F_WRLCK;
  asked.l_whence = SEEK_SET;
  return ::fcntl(file, F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK ? asked.l_pid : 0;
}

/// Not flock(), whose lock a forked child would keep when its parent is gone.
bool lock(int file) noexcept {
  struct flock wanted = {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  return ::fcntl(file, F_SETLK, &wanted) == 0;
}

/// The process that has a state file open. A child made by fork() has none.
constinit detail::seam::atomic<int> opened_by{0};

state_file_opening refused_with(int error_number, std::string why = {}, int holder = 0) {
  return {.file = nullptr, .holder = holder, .error_number = error_number, .why = std::move(why)};
}

}  // namespace

state_file::state_file(std::string path, int file) noexcept : path_(std::move(path)), file_(file) {}

state_file::~state_file() {
  ::close(file_);
  opened_by.store(0, detail::seam::memory_order_release);
}

state_file_opening state_file::open_and_lock(const std::string& path, bool make) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0), S_IRUSR | S_IWUSR);
  if (file < 0) return refused_with(errno);
  struct stat seen = {};
  if (::fstat(file, &seen) != 0 || !is_own(seen, S_IFREG)) {
    ::close(file);
    return refused_with(EPERM, "the file is not ours alone");
  }
  if (lock(file)) return {.file = std::unique_ptr<state_file>(new state_file(path, file))};
  const int refused = errno;
  const int holder = holder_of(file);
  ::close(file);
  return refused_with(refused, {}, holder);
}

std::string state_file::text() const {
  std::string all;
  char piece[512];
  for (ssize_t got = 0; (got = ::pread(file_, piece, sizeof piece, static_cast<off_t>(all.size()))) > 0;)
    all.append(piece, static_cast<std::size_t>(got));
  return all;
}

int state_file::replace(const std::string& text) const noexcept {
  if (::ftruncate(file_, 0) != 0) return errno;
  const ssize_t put = ::pwrite(file_, text.data(), text.size(), 0);
  if (put < 0) return errno;
  return static_cast<std::size_t>(put) == text.size() ? 0 : ENOSPC;
}

std::vector<std::string> state_folders(const system_files& files) {
  const std::string user = std::to_string(::geteuid());
  const std::string best = ::geteuid() == 0 ? "/run/nearfork" : "/run/user/" + user + "/nearfork";
  return {files.real_path(best), files.real_path("/tmp/nearfork-" + user)};
}

state_file_opening open_state_file(const std::string& folder, bool make) {
  if (make && ::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return refused_with(errno);
  struct stat seen = {};
  if (::lstat(folder.c_str(), &seen) != 0) return refused_with(errno);
  if (!is_own(seen, S_IFDIR)) return refused_with(EPERM, "the folder is not ours alone");
  const int before = opened_by.exchange(::getpid(), detail::seam::memory_order_acq_rel);
  if (before == ::getpid()) return refused_with(EBUSY, {}, before);
  state_file_opening made = state_file::open_and_lock(folder + file_name, make);
  if (made.file == nullptr) opened_by.store(0, detail::seam::memory_order_release);
  return made;
}

}  // namespace nearfork
