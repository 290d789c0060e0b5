// What is done where memory may be short, and nobody can be told.
#pragma once

#include <new>

namespace nearfork {

/// Waits a little, so that others can give memory back. After a second of waits it ends the program, and says why.
/// `waits`: how often it has waited for the same. `purpose`: "let a waiting task go on".
void wait_for_memory(int waits, const char* purpose) noexcept;

/// act(), again and again while it throws std::bad_alloc. Anything else that it throws ends the program.
template <class Act>
void with_patience(const char* purpose, const Act& act) noexcept {  // NOLINT(bugprone-exception-escape)
  for (int waits = 0;; ++waits) {
    try {
      return act();
    } catch (const std::bad_alloc&) {
      wait_for_memory(waits, purpose);
    }
  }
}

}  // namespace nearfork
