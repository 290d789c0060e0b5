// How a program of the lab answers: a line for each fault, and a status that says whether there was a fault.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace nearfork::lab {

/// Any thread may report a fault.
class verdict {
 public:
  template <class... Values>
  void fault(fmt::format_string<Values...> text, Values&&... values) {
    const std::lock_guard lock(mutex_);
    ++faults_;
    // One fault often shows in every task.
    if (faults_ <= most_lines) fmt::print("wrong: {}\n", fmt::format(text, std::forward<Values>(values)...));
  }

  /// The status that main() returns.
  [[nodiscard]] int status() const {
    const std::lock_guard lock(mutex_);
    if (faults_ > most_lines) fmt::print("wrong: {} more\n", faults_ - most_lines);
    return faults_ == 0 ? 0 : 1;
  }

 private:
  static constexpr unsigned most_lines = 10;
  mutable std::mutex mutex_;
  unsigned faults_ = 0;
};

/// What main() returns: the result of run(), or 1 if run() throws.
template <class Run>
int exit_status_of(const Run& run) {
  try {
    return run();
  } catch (const std::exception& failure) {
    fmt::print("wrong: {}\n", failure.what());
    return 1;
  }
}

}  // namespace nearfork::lab
