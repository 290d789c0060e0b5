#pragma once

#include <atomic>

namespace nearfork {

/// The calling process's number: a runtime that sees another one than at its start is in a fork()'s child.
[[nodiscard]] int process_number() noexcept;
/// The system's number of the calling thread. A system call.
[[nodiscard]] int thread_number() noexcept;

/// Remembers the process in which it was made.
class own_process {
 public:
  own_process() noexcept;
  /// False in a fork()'s child. Takes a load.
  [[nodiscard]] bool is_here() const noexcept {
    return word_ != nullptr ? word_->load(std::memory_order_relaxed) == number_ : process_number() == number_;
  }

 private:
  const std::atomic<int>* word_;  // nullptr: this kernel keeps no number
  int number_;
};

}  // namespace nearfork
