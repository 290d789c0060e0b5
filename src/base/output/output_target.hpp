// Where the path of an output leads, link by link.
#pragma once

#include <optional>
#include <string>

#include "base/output/output_file.hpp"

namespace nearfork {

/// Why an output cannot be written; output_file makes a nearfork::error of it.
struct output_obstacle {
  std::string why;
  std::string remedy;
};

/// What the new file takes over from the replaced one.
struct file_owner {
  unsigned mode;
  unsigned user;
  unsigned group;
};

struct output_target {
  output_way way;
  std::string path;     // after all links
  int descriptor = -1;  // if way is descriptor
  bool is_fifo = false;
  std::optional<file_owner> there{};  // if a regular file is there
};

/// Throws: output_obstacle.
[[nodiscard]] output_target target_of(const std::string& path);

/// "." for a path without a slash.
[[nodiscard]] std::string folder_of(const std::string& path);

}  // namespace nearfork
