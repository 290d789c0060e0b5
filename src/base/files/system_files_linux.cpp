#include "base/files/system_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/files/descriptor.hpp"

namespace nearfork {
namespace {

class linux_files final : public system_files {
 public:
  explicit linux_files(std::string root) : root_(std::move(root)) {}

  file_text read(const std::string& path) const override {
    const descriptor file(::open((root_ + path).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return {.error_number = errno};
    file_text made;
    char piece[4096];  // as many as the kernel gives at once of smaps
    ssize_t got = 0;
    while ((got = ::read(file.number(), piece, sizeof piece)) > 0)
      made.text.append(piece, static_cast<std::size_t>(got));
    if (got < 0) return {.error_number = errno};
    while (!made.text.empty() && made.text.back() == '\n') made.text.pop_back();
    return made;
  }

  int write(const std::string& path, const std::string& text) const override {
    const descriptor file = open_for_writing(path);
    if (!file.is_open()) return errno;
    const ssize_t put = ::write(file.number(), text.data(), text.size());
    if (put < 0) return errno;
    // For files that are not of /sys, where this does nothing. Afterwards, so that no reader finds an empty file.
    [[maybe_unused]] const int ignored = ::ftruncate(file.number(), put);
    return static_cast<std::size_t>(put) == text.size() ? 0 : EIO;
  }

  int try_to_open(const std::string& path) const override { return open_for_writing(path).is_open() ? 0 : errno; }

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
  descriptor open_for_writing(const std::string& path) const {
    return descriptor(::open((root_ + path).c_str(), O_WRONLY | O_CLOEXEC));
  }

  const std::string root_;
};

}  // namespace

std::shared_ptr<const system_files> live_system_files(std::string root) {
  return std::make_shared<const linux_files>(std::move(root));
}

}  // namespace nearfork
