#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace nearfork::tools {

/// One line on stderr that is rewritten during long work and erased at the end. Where stderr is no terminal, or a dumb
/// one, a line each minute: work that is over sooner says nothing.
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

/// The text as it is, or its begin and "..." if it has more characters than a line has columns. UTF-8 stays whole.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// ", about 12 s left", or minutes. `done`: the fraction of the work, 0 to 1, after `elapsed_s`. Empty if it
/// cannot be estimated.
[[nodiscard]] std::string time_left(double done, double elapsed_s);

}  // namespace nearfork::tools
