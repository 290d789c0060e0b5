// An output that a path names: checked before the work starts, written when there is content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork {

/// How content is written to what a path leads to.
enum class output_way : std::uint8_t {
  replaced,      // a regular file, or none yet: written beside it, then renamed; so the old or the new content is there
  written_into,  // a FIFO, a character device, a file that is a mount point: opened when there is content
  descriptor     // an open descriptor of this process: /dev/stdout, /dev/fd/3
};

/// Identifies a regular file and its content: differs if the file was written to since.
struct file_mark {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t size_bytes;
  std::int64_t modified_ns;
  friend auto operator<=>(const file_mark&, const file_mark&) = default;
};

/// Follows symbolic links: the file that they lead to is replaced or made, and the links stay. The new file gets the
/// permissions of the old one and, if the system allows it, its owner. Other hard links of the old file keep the old
/// content.
class output_file {
 public:
  /// Checks whether `path` can be written; touches no content. `option` says in messages where the path comes from; may
  /// be empty. A relative path keeps its present meaning, also if the process changes its folder later.
  /// Throws: nearfork::error if it is a folder, a socket or a block device; if the file, descriptor or folder may not
  /// be written; if the folder does not exist.
  explicit output_file(std::string path, std::string option = {});

  /// Throws: nearfork::error; a regular file then has its old content. If a FIFO has no reader, waits for one, half a
  /// minute at most, and says so on stderr. A reader that leaves and a reached limit raise no signal.
  void write(std::string_view content) const;

  [[nodiscard]] const std::string& absolute_path() const noexcept { return absolute_; }
  /// As of now.
  [[nodiscard]] output_way way() const;
  /// True if both paths lead, link by link, to one file that writing replaces or makes. Not for hard links: the others
  /// keep the old content.
  [[nodiscard]] bool replaces(const std::string& path) const;
  /// The mark of the regular file that is there now.
  [[nodiscard]] std::optional<file_mark> mark() const noexcept;

 private:
  std::string path_;  // as given
  std::string option_;
  std::string absolute_;
};

}  // namespace nearfork
