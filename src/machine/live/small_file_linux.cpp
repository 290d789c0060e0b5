#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "machine/live/small_file.hpp"

namespace nearfork {

std::optional<std::string> read_small_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char piece[512];
  ssize_t got = 0;
  while ((got = ::read(file, piece, sizeof piece)) > 0) text.append(piece, static_cast<std::size_t>(got));
  ::close(file);
  return got == 0 ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace nearfork
