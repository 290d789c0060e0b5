#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <nearfork/error.hpp>

#include "base/files/descriptor.hpp"
#include "base/text/message_text.hpp"
#include "tools/graph_files/text_source.hpp"

namespace nearfork::tools {
namespace {

/// What a user can do about it, for the usual causes.
std::string advice_on(int error_number) {
  switch (error_number) {
    case ENOENT: return "; check the path";
    case EACCES: return "; give yourself the permission to read it (chmod u+r), and to enter its folders";
    case EISDIR: return "; name a file in it";
    default: return {};
  }
}

[[noreturn]] void refuse(const std::string& path, std::string_view what, int error_number) {
  throw error(
      fmt::format("nearfork: graph {}: {}: {}{}", path, what, with_number(error_number), advice_on(error_number)));
}

std::size_t read_some(int file, std::span<char> into, const std::string& path) {
  for (;;) {
    const ssize_t got = ::read(file, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) refuse(path, "cannot be read", errno);
  }
}

}  // namespace

text_source text_of_file(const std::string& path) {
  const auto file = std::make_shared<descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file->is_open()) refuse(path, "cannot be opened", errno);
  struct stat facts{};
  if (::fstat(file->number(), &facts) == 0 && S_ISDIR(facts.st_mode)) refuse(path, "cannot be read", EISDIR);
  return [file, path](std::span<char> into) { return read_some(file->number(), into, path); };
}

text_source text_in_memory(std::string_view text) {
  return [text](std::span<char> into) mutable {
    const std::size_t count = std::min(text.size(), into.size());
    std::ranges::copy(text.substr(0, count), into.begin());
    text.remove_prefix(count);
    return count;
  };
}

}  // namespace nearfork::tools
