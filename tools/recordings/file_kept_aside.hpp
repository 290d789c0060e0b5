// The old content of a file that a program may replace by something useless.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/process_number.hpp"

namespace nearfork::tools {

/// Keeps what is at `path` under another name beside it, as long as this lives. Links are followed, as those do who
/// replace the file.
class file_kept_aside {
 public:
  explicit file_kept_aside(std::string path) : path_(std::move(path)) {
    std::error_code missing;
    const std::filesystem::path there = std::filesystem::canonical(path_, missing);
    if (missing) return;
    const std::filesystem::path aside = there.string() + ".old-" + std::to_string(process_number());
    std::error_code failed;
    std::filesystem::create_hard_link(there, aside, failed);  // costs nothing: who replaces a file renames a new one
    if (failed) std::filesystem::copy_file(there, aside, std::filesystem::copy_options::overwrite_existing, failed);
    if (!failed) aside_ = aside;
  }
  ~file_kept_aside() {
    std::error_code ignored;
    if (!aside_.empty()) std::filesystem::remove(aside_, ignored);
  }
  file_kept_aside(const file_kept_aside&) = delete;
  file_kept_aside& operator=(const file_kept_aside&) = delete;

  /// Puts it back; a file where there was none is removed.
  void put_back() const {
    std::error_code ignored;
    const std::filesystem::path there = std::filesystem::canonical(path_, ignored);
    if (aside_.empty()) std::filesystem::remove(there, ignored);
    else std::filesystem::rename(aside_, there, ignored);
  }

 private:
  std::string path_;
  std::filesystem::path aside_;  // empty: there was no file, or it could not be kept
};

}  // namespace nearfork::tools
