#include "recording/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include <nearfork/error.hpp>

#include "base/files/descriptor.hpp"
#include "base/text/message_text.hpp"

namespace nearfork::recordings {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& remedy) {
  throw error("nearfork: cannot read " + path + ": " + why + "; " + remedy);
}

/// Makes `content` `bytes` long.
void make_room(std::string& content, std::size_t bytes, const std::string& path) {
  try {
    content.resize(bytes);
  } catch (const std::exception&) {  // bad_alloc, or length_error
    refuse(path, "its " + std::to_string(bytes) + " bytes find no room in memory",
           "give a smaller file, or more memory (ulimit -v shows a limit)");
  }
}

/// Reads until `content` has `size` bytes, or the file has no more.
void read_up_to(int file, const std::string& path, std::size_t size, std::string& content) {
  std::size_t have = content.size();
  make_room(content, size, path);
  while (have < size) {
    const ssize_t got = ::read(file, content.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, with_number(errno), "copy the file again");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
}

}  // namespace

std::string read_whole_file(const std::string& path, std::string_view beginning) {
  // Without O_NONBLOCK, opening a pipe without a writer would block.
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) refuse(path, with_number(errno), "give the path of a file that nearfork wrote");
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0)
    refuse(path, with_number(errno), "give the path of a file that nearfork wrote");
  if (!S_ISREG(facts.st_mode)) refuse(path, "it is no regular file", "give the path of a file that nearfork wrote");
  const auto size = static_cast<std::size_t>(facts.st_size);
  std::string content;
  read_up_to(file.number(), path, std::min(size, beginning.size()), content);
  if (content == beginning) read_up_to(file.number(), path, size, content);
  return content;
}

}  // namespace nearfork::recordings
