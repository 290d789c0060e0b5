// The file in which a process says how frequencies were before it set them. Only the process that has it locked sets
// frequencies. The lock ends with the process, however that ends.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/system_files.hpp"

namespace nearfork {

struct state_file_opening;

class state_file {
 public:
  ~state_file();
  state_file(const state_file&) = delete;
  state_file& operator=(const state_file&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }  // for system calls
  [[nodiscard]] std::string text() const;
  /// Replaces the content by one write. Returns 0 or an errno value.
  [[nodiscard]] int replace(const std::string& text) const noexcept;

 private:
  friend state_file_opening open_state_file(const std::string& folder, bool make);
  state_file(std::string path, int file) noexcept;
  [[nodiscard]] static state_file_opening open_and_lock(const std::string& path, bool make);
  const std::string path_;
  const int file_;
};

struct state_file_opening {
  std::unique_ptr<state_file> file;  // nullptr: refused
  int holder = 0;                    // the process that has it locked
  int error_number = 0;
  std::string why{};  // if error_number is not enough
};

/// The folders where this user's state file may be, the best one first. They belong to the user: nobody else can put a
/// file there, which doctor would believe.
[[nodiscard]] std::vector<std::string> state_folders(const system_files& files);
/// `make`: makes folder and file if they are missing. Refuses what belongs to another user or may be written by others.
/// A process has at most one open: closing a second one would end the lock of the first.
[[nodiscard]] state_file_opening open_state_file(const std::string& folder, bool make);

}  // namespace nearfork
