#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace nearfork::tools {

/// One line on stderr that is rewritten during long work and erased at the end. Where stderr is no terminal, a line
/// each minute: work that is over sooner says nothing.
class progress_line {
 public:
  progress_line();
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Replaces the line's text.
  void show(std::string_view text);
  /// The same for work that reports more often than people can read: drops a text within 100 ms of the last one.
  void show_sometimes(std::string_view text);
  void erase();
  /// The time since the line was made.
  [[nodiscard]] double elapsed_s() const;

 private:
  using clock = std::chrono::steady_clock;
  bool rewritten_;
  clock::time_point began_ = clock::now();
  clock::time_point shown_;
};

/// ", about 12 s left", or minutes. `done`: the fraction of the work, 0 to 1, after `elapsed_s`. Empty if it
/// cannot be estimated.
[[nodiscard]] std::string time_left(double done, double elapsed_s);

}  // namespace nearfork::tools
