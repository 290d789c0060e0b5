#include "trace/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <nearfork/error.hpp>

#include "base/message_text.hpp"

namespace nearfork::trace {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& path, const std::string& why,
                         const std::string& remedy) {
  throw error("nearfork: cannot " + what + " " + path + ": " + why + "; " + remedy);
}

class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }
  /// errno, or 0. A network file system may tell only now that there was no room.
  [[nodiscard]] int close_checked() noexcept {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

/// Until `content` has `size` bytes, or the file has no more.
void read_up_to(int file, const std::string& path, std::size_t size, std::string& content) {
  std::size_t have = content.size();
  content.resize(size);
  while (have < size) {
    const ssize_t got = ::read(file, content.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse("read", path, with_number(errno), "copy the file again");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
}

/// errno, or 0 once all is written.
int write_all(int file, std::string_view content) noexcept {
  while (!content.empty()) {
    const ssize_t done = ::write(file, content.data(), content.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

/// errno, or 0 once `content` is on disk under that name.
int write_new(const std::string& path, std::string_view content) noexcept {
  descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) return errno;
  int failed = write_all(file.number(), content);
  if (failed == 0 && ::fsync(file.number()) != 0) failed = errno;
  const int close_failed = file.close_checked();
  if (failed == 0) failed = close_failed;
  if (failed != 0) ::unlink(path.c_str());
  return failed;
}

}  // namespace

std::string read_whole_file(const std::string& path, std::string_view beginning) {
  // Without O_NONBLOCK a pipe that nobody writes to would keep us here.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) refuse("read", path, with_number(errno), "give the path of a recording");
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) refuse("read", path, with_number(errno), "give the path of a recording");
  if (!S_ISREG(facts.st_mode)) refuse("read", path, "it is no regular file", "give the path of a recording");
  const auto size = static_cast<std::size_t>(facts.st_size);
  std::string content;
  read_up_to(file.number(), path, std::min(size, beginning.size()), content);
  if (content == beginning) read_up_to(file.number(), path, size, content);
  return content;
}

void replace_file(const std::string& path, std::string_view content) {
  const std::string beside = path + ".part-" + std::to_string(::getpid());
  ::unlink(beside.c_str());  // of a process with our number that was killed
  if (const int failed = write_new(beside, content); failed != 0)
    refuse("write", path, with_number(failed),
           "name a path in a folder that exists, may be written and has " + std::to_string(content.size()) +
               " bytes free");
  if (::rename(beside.c_str(), path.c_str()) == 0) return;
  const int failed = errno;
  ::unlink(beside.c_str());
  refuse("write", path, with_number(failed), "name a path that is no folder");
}

}  // namespace nearfork::trace
