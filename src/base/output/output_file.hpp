// An output that a path names: looked at before the work starts, written when there is something to write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork {

/// How content comes to what a path leads to.
enum class output_way : std::uint8_t {
  replaced,      // a regular file, or none yet: written beside it, then renamed; there is the old content, or the new
  written_into,  // a FIFO, a character device, a file that is a mount point: opened when there is something to write
  descriptor     // an open descriptor of this process: /dev/stdout, /dev/fd/3
};

/// Tells a regular file, and that nobody has written to it since, from others.
struct file_mark {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t size_bytes;
  std::int64_t modified_ns;
  friend auto operator<=>(const file_mark&, const file_mark&) = default;
};

/// Symbolic links are followed: the file that they lead to is replaced or made, and the links stay. A file that is replaced
/// hands on its permissions and, where the system allows it, its owner; its other hard links keep the old content.
class output_file {
 public:
  /// Looks whether `path` can be written; touches no content. `option` says in messages who named the path; may be empty. A
  /// relative path stays what it is now, wherever the process goes later.
  /// Throws nearfork::error: a folder, a socket, a block device; a file, a descriptor or a folder that may not be written; a
  /// folder that is not there.
  explicit output_file(std::string path, std::string option = {});

  /// Throws nearfork::error; a regular file has its old content then. A FIFO without a reader is waited for, half a minute at
  /// most, and stderr says so. No signal is raised by a reader that leaves or a limit that is met.
  void write(std::string_view content) const;

  [[nodiscard]] const std::string& absolute_path() const noexcept { return absolute_; }
  /// As of now.
  [[nodiscard]] output_way way() const;
  /// Of the regular file that is there now.
  [[nodiscard]] std::optional<file_mark> mark() const noexcept;

 private:
  std::string path_;  // as it was given
  std::string option_;
  std::string absolute_;
};

}  // namespace nearfork
