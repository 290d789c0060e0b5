// Files of /proc, /sys and /run, behind an interface that tests can fake: a folder in the place of /, and refusals.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace nearfork {

struct file_text {
  int error_number = 0;  // errno: why the file cannot be read
  std::string text{};    // all of it, without the newlines at its end
};

class system_files {
 public:
  system_files() = default;
  system_files(const system_files&) = delete;
  system_files& operator=(const system_files&) = delete;
  virtual ~system_files() = default;

  [[nodiscard]] virtual file_text read(const std::string& path) const = 0;
  /// Replaces the content by one write(2), as files of /sys want it. Returns 0 or an errno value.
  [[nodiscard]] virtual int write(const std::string& path, const std::string& text) const = 0;
  /// Opens the file for writing and changes nothing. Returns 0 or an errno value.
  [[nodiscard]] virtual int try_to_open(const std::string& path) const = 0;
  /// The entries of a folder, sorted; none if it cannot be read.
  [[nodiscard]] virtual std::vector<std::string> names_in(const std::string& folder) const = 0;
  /// What system calls name the file.
  [[nodiscard]] virtual std::string real_path(const std::string& path) const = 0;
};

/// The files of the system that runs this program. `root` stands before each path; tests put a folder of theirs there.
[[nodiscard]] std::shared_ptr<const system_files> live_system_files(std::string root = {});

}  // namespace nearfork
