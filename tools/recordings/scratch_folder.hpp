// A folder for temporary files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <nearfork/error.hpp>

namespace nearfork::tools {

/// A folder for temporary files that goes with its files.
class scratch_folder {
 public:
  /// Throws: nearfork::error if it cannot be made. `what_for`: for the message.
  explicit scratch_folder(const std::string& what_for) {
    std::error_code failed;
    std::filesystem::path temporary = std::filesystem::temp_directory_path(failed);
    // A program that is run may change its folder before it writes here.
    if (!failed) temporary = std::filesystem::absolute(temporary, failed);
    path_ = (temporary / "nearfork-record-XXXXXX").string();
    if (failed || ::mkdtemp(path_.data()) == nullptr)
      throw error("nearfork: cannot make a folder for temporary files" + (failed ? "" : " in " + temporary.string()) +
                  ": temporary files for " + what_for + " are made there; set TMPDIR to a folder that may be written");
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace nearfork::tools
