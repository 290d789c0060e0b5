// What `nearfork doctor` tries on the system, behind an interface: tests answer in its place.
#pragma once

#include <memory>
#include <string>

namespace nearfork {

/// A system call may be refused, or be accepted and change nothing, as some sandboxes do.
struct trial {
  int error_number = 0;
  bool took_effect = true;
};

struct file_trial {
  int error_number = 0;
  std::string text;  // the first line
};

/// Each act is undone before it returns: the thread's affinity and the files are as before.
class system_probe {
 public:
  virtual ~system_probe() = default;

  [[nodiscard]] virtual trial pin() const = 0;
  /// Asks for this thread's affinity mask.
  [[nodiscard]] virtual trial ask_affinity() const = 0;
  /// See is_privileged().
  [[nodiscard]] virtual bool privileged() const = 0;
  /// Asks for a page on a node that we may use, and whether the system remembers it.
  [[nodiscard]] virtual trial bind_page() const = 0;
  /// Moves a page to a node that we may use, and asks where it is.
  [[nodiscard]] virtual trial move_page() const = 0;
  /// Counts the cache misses of this thread for a moment.
  [[nodiscard]] virtual trial count_cache_misses() const = 0;
  [[nodiscard]] virtual trial advise_huge_pages() const = 0;

  [[nodiscard]] virtual file_trial read(const std::string& path) const = 0;
  /// 0 or an errno value. `text` is what the file says already.
  [[nodiscard]] virtual int write_back(const std::string& path, const std::string& text) const = 0;
};

/// The system that runs us.
[[nodiscard]] std::unique_ptr<const system_probe> live_system();

}  // namespace nearfork
