#include "base/output/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <nearfork/error.hpp>

#include "base/files/descriptor.hpp"
#include "base/output/output_target.hpp"
#include "base/text/message_text.hpp"

namespace nearfork {
namespace {

/// While it lives, a reader that left and a reached limit are errors of write(), and no signals that end the process.
class without_signals {
 public:
  without_signals() noexcept {
    sigset_t pending;
    ::sigpending(&pending);
    sigemptyset(&ours_);
    for (const int one : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, one) == 0) sigaddset(&ours_, one);
    ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  ~without_signals() {
    const int error_number = errno;
    const timespec at_once{};
    while (::sigtimedwait(&ours_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error_number;
  }
  without_signals(const without_signals&) = delete;
  without_signals& operator=(const without_signals&) = delete;

 private:
  sigset_t ours_;
  sigset_t before_;
};

void wait_for_room(int file) noexcept {
  pollfd room{.fd = file, .events = POLLOUT, .revents = 0};
  ::poll(&room, 1, -1);
}

/// Returns an errno value, or 0 once all is written.
int write_all(int file, std::string_view content) noexcept {
  const without_signals meanwhile;
  while (!content.empty()) {
    const ssize_t done = ::write(file, content.data(), content.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {
      wait_for_room(file);
      continue;
    }
    if (done <= 0) return done == 0 ? EIO : errno;
    content.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

/// Short, because a name may have 255 bytes at most. Skips names that are taken: containers that share a folder may
/// have equal process numbers, and an earlier process with this number may have been killed here.
std::string next_part_name() {
  static std::atomic<unsigned> number{0};
  return ".nearfork-" + std::to_string(::getpid()) + "-" +
         std::to_string(number.fetch_add(1, std::memory_order_relaxed));
}

/// A file beside the file that it shall become. It is removed with this object unless it got that name.
class part_file {
 public:
  /// Throws: output_obstacle if no file can be made in the folder.
  explicit part_file(const output_target& target) : folder_(folder_holding(target.path)), file_(new_file(target)) {}
  ~part_file() {
    if (!named_) ::unlinkat(folder_.number(), part_.c_str(), 0);
  }
  part_file(const part_file&) = delete;
  part_file& operator=(const part_file&) = delete;

  /// Returns an errno value, or 0 once `content` is on disk under the target's name.
  [[nodiscard]] int become(const output_target& target, std::string_view content) noexcept;

 private:
  static descriptor folder_holding(const std::string& path);
  descriptor new_file(const output_target& target);

  descriptor folder_;
  std::string part_;
  descriptor file_;
  bool named_ = false;
};

descriptor part_file::folder_holding(const std::string& path) {
  descriptor folder(::open(folder_of(path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) return folder;
  throw output_obstacle{"folder " + folder_of(path) + ": " + with_number(errno),
                        "make that folder, or name a path in a folder that exists"};
}

descriptor part_file::new_file(const output_target& target) {
  constexpr int most_taken = 1000;
  const mode_t mode = target.there ? target.there->mode : 0666;
  for (int taken = 0;; ++taken) {
    part_ = next_part_name();
    descriptor file(::openat(folder_.number(), part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.is_open()) return file;
    if (errno != EEXIST || taken == most_taken)
      throw output_obstacle{"folder " + folder_of(target.path) + ": " + with_number(errno),
                            "name a path in a folder that exists and may be written"};
  }
}

/// Some file systems cannot be waited for; that is no error.
int on_disk(int file) noexcept {
  if (::fsync(file) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return 0;
  return errno;
}

/// Sets the mode last, because changing the owner clears the mode's special bits.
void hand_on(const file_owner& owner, int file) noexcept {
  if (::fchown(file, owner.user, owner.group) != 0) (void)::fchown(file, static_cast<uid_t>(-1), owner.group);
  (void)::fchmod(file, owner.mode);
}

int part_file::become(const output_target& target, std::string_view content) noexcept {
  if (target.there) hand_on(*target.there, file_.number());
  int failed = write_all(file_.number(), content);
  if (failed == 0) failed = on_disk(file_.number());
  const int close_failed = file_.close_checked();
  if (failed == 0) failed = close_failed;
  if (failed != 0) return failed;
  const std::string name = target.path.substr(target.path.rfind('/') + 1);
  if (::renameat(folder_.number(), part_.c_str(), folder_.number(), name.c_str()) != 0) return errno;
  named_ = true;
  return 0;
}

// --- writing into what is there ---

constexpr int longest_wait_ms = 30'000;
constexpr int between_looks_ms = 20;

/// A FIFO can be opened for writing once it has a reader. If it is not open, errno says why.
descriptor open_for_writing(const output_target& target, const std::string& shown) {
  const int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK | O_TRUNC;  // devices and FIFOs ignore O_TRUNC
  int opened = ::open(target.path.c_str(), flags);
  if (opened < 0 && errno == ENXIO && target.is_fifo) {
    std::fprintf(stderr, "nearfork: %s is a FIFO without a reader; waiting %d seconds for one\n", shown.c_str(),
                 longest_wait_ms / 1000);
    for (int waited = 0; opened < 0 && errno == ENXIO && waited < longest_wait_ms; waited += between_looks_ms) {
      ::poll(nullptr, 0, between_looks_ms);
      opened = ::open(target.path.c_str(), flags);
    }
  }
  descriptor made(opened);
  if (made.is_open()) ::fcntl(made.number(), F_SETFL, ::fcntl(made.number(), F_GETFL) & ~O_NONBLOCK);
  return made;
}

/// Returns an errno value or 0.
int write_into(const output_target& target, std::string_view content, const std::string& shown) {
  descriptor file = open_for_writing(target, shown);
  if (!file.is_open()) return errno;
  const int failed = write_all(file.number(), content);
  const int close_failed = file.close_checked();
  return failed != 0 ? failed : close_failed;
}

/// First writes what the process has buffered for that descriptor.
int write_to_descriptor(int number, std::string_view content) {
  if (number == STDOUT_FILENO) std::fflush(stdout);
  return write_all(number, content);
}

std::string remedy_of(int error_number, std::size_t bytes) {
  switch (error_number) {
    case ENXIO: return "start the reader first";
    case EPIPE: return "keep its reader until all is written";
    default: return "name a path that may be written and has " + std::to_string(bytes) + " bytes free";
  }
}

int written(const output_target& target, std::string_view content, const std::string& shown) {
  switch (target.way) {
    case output_way::replaced: return part_file(target).become(target, content);
    case output_way::written_into: return write_into(target, content, shown);
    case output_way::descriptor: return write_to_descriptor(target.descriptor, content);
  }
  return EINVAL;
}

std::string absolute(const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  char* const here = ::get_current_dir_name();
  if (here == nullptr) return path;  // the folder was removed: target_of() reports it
  std::string made = std::string(here) + "/" + path;
  std::free(here);
  return made;
}

/// A file's name and its folder, whichever path leads there.
struct file_place {
  dev_t device;
  ino_t folder;
  std::string name;
  bool operator==(const file_place&) const = default;
};

/// nullopt: writing to that path replaces and makes no file.
std::optional<file_place> place_replaced(const std::string& absolute_path) {
  try {
    const output_target target = target_of(absolute_path);
    struct stat folder{};
    if (target.way != output_way::replaced || ::stat(folder_of(target.path).c_str(), &folder) != 0) return std::nullopt;
    return file_place{folder.st_dev, folder.st_ino, target.path.substr(target.path.rfind('/') + 1)};
  } catch (const output_obstacle&) {
    return std::nullopt;
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& option, const output_obstacle& met) {
  const std::string shown = without_controls(path);
  throw error("nearfork: cannot write " + (shown.empty() ? "\"\"" : shown) +
              (option.empty() ? "" : " (" + option + ")") + ": " + met.why + "; " + met.remedy);
}

}  // namespace

output_file::output_file(std::string path, std::string option)
    : path_(std::move(path)), option_(std::move(option)), absolute_(absolute(path_)) {
  try {
    if (path_ == "-")
      throw output_obstacle{"many programs take that for standard output",
                            "give /dev/stdout, or ./- for a file of that name"};
    const output_target target = target_of(absolute_);
    if (target.way == output_way::replaced) const part_file trial(target);
  } catch (const output_obstacle& met) {
    refuse(path_, option_, met);
  }
}

void output_file::write(std::string_view content) const {
  try {
    const int failed = written(target_of(absolute_), content, path_);
    if (failed != 0) throw output_obstacle{with_number(failed), remedy_of(failed, content.size())};
  } catch (const output_obstacle& met) {
    refuse(path_, option_, met);
  }
}

output_way output_file::way() const {
  try {
    return target_of(absolute_).way;
  } catch (const output_obstacle& met) {
    refuse(path_, option_, met);
  }
}

bool output_file::replaces(const std::string& path) const {
  const auto ours = place_replaced(absolute_);
  return ours && ours == place_replaced(absolute(path));
}

std::optional<file_mark> output_file::mark() const noexcept {
  struct stat facts{};
  if (::stat(absolute_.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return file_mark{facts.st_dev, facts.st_ino, static_cast<std::uint64_t>(facts.st_size),
                   std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

}  // namespace nearfork
