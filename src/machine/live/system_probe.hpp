// What `nearfork doctor` tries on the system, behind an interface that tests can fake.
#pragma once

#include <memory>
#include <string>

namespace nearfork {

/// The result of a try. A system call may be refused, or be accepted without effect, as in some sandboxes.
struct trial {
  int error_number = 0;
  bool took_effect = true;
};

struct file_trial {
  int error_number = 0;
  std::string text;  // the first line
};

/// Each function undoes what it did before it returns: the thread's affinity and the files are as before.
class system_probe {
 public:
  virtual ~system_probe() = default;

  [[nodiscard]] virtual trial pin() const = 0;
  /// Asks for this thread's affinity mask.
  [[nodiscard]] virtual trial ask_affinity() const = 0;
  /// See is_privileged().
  [[nodiscard]] virtual bool privileged() const = 0;
  /// Asks for a page on a node that we may use, and whether the system remembers that.
  [[nodiscard]] virtual trial bind_page() const = 0;
  /// Moves a page to a node that we may use, and asks where the page is.
  [[nodiscard]] virtual trial move_page() const = 0;
  /// Counts the cache misses of this thread for a moment.
  [[nodiscard]] virtual trial count_cache_misses() const = 0;
  [[nodiscard]] virtual trial advise_huge_pages() const = 0;

  [[nodiscard]] virtual file_trial read(const std::string& path) const = 0;
  /// Writes `text`, the present content, back to the file. Returns 0 or an errno value.
  [[nodiscard]] virtual int write_back(const std::string& path, const std::string& text) const = 0;
};

/// The system that runs this program.
[[nodiscard]] std::unique_ptr<const system_probe> live_system();

}  // namespace nearfork
