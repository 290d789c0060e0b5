#include "base/system_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace nearfork {
namespace {

/// A file descriptor, closed at the end.
class opened_file {
 public:
  opened_file(const std::string& path, int how) noexcept : number_(::open(path.c_str(), how | O_CLOEXEC)) {
    if (number_ < 0) refused_ = errno;
  }
  ~opened_file() {
    if (number_ >= 0) ::close(number_);
  }
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;

  [[nodiscard]] int refused() const noexcept { return refused_; }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_;
  int refused_ = 0;
};

class linux_files final : public system_files {
 public:
  explicit linux_files(std::string root) : root_(std::move(root)) {}

  file_text read(const std::string& path) const override {
    const opened_file file(root_ + path, O_RDONLY);
    if (file.refused() != 0) return {.error_number = file.refused()};
    file_text made;
    char piece[512];
    ssize_t got = 0;
    while ((got = ::read(file.number(), piece, sizeof piece)) > 0)
      made.text.append(piece, static_cast<std::size_t>(got));
    if (got < 0) return {.error_number = errno};
    while (!made.text.empty() && made.text.back() == '\n') made.text.pop_back();
    return made;
  }

  int write(const std::string& path, const std::string& text) const override {
    const opened_file file(root_ + path, O_WRONLY);
    if (file.refused() != 0) return file.refused();
    const ssize_t put = ::write(file.number(), text.data(), text.size());
    if (put < 0) return errno;
    // For files that are not of /sys, where this does nothing. Afterwards, so that no reader finds an empty file.
    [[maybe_unused]] const int ignored = ::ftruncate(file.number(), put);
    return static_cast<std::size_t>(put) == text.size() ? 0 : EIO;
  }

  int try_to_open(const std::string& path) const override { return opened_file(root_ + path, O_WRONLY).refused(); }

  std::vector<std::string> names_in(const std::string& folder) const override {
    std::vector<std::string> names;
    DIR* const opened = ::opendir((root_ + folder).c_str());
    if (opened == nullptr) return names;
    while (const dirent* const entry = ::readdir(opened))
      if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
    ::closedir(opened);
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string real_path(const std::string& path) const override { return root_ + path; }

 private:
  const std::string root_;
};

}  // namespace

std::shared_ptr<const system_files> live_system_files(std::string root) {
  return std::make_shared<const linux_files>(std::move(root));
}

}  // namespace nearfork
