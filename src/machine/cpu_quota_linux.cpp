#include <fcntl.h>
#include <unistd.h>

#include "machine/cpu_quota.hpp"

namespace nearfork {
namespace {

std::optional<std::string> read_small_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text(16384, '\0');
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  if (got < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(got));
  return text;
}

}  // namespace

std::optional<double> cpu_quota() {
  return cpu_quota(&read_small_file);
}

}  // namespace nearfork
