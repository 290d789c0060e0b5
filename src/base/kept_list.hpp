// A list that the process keeps to its end. It is never destroyed, so that code that runs at exit may use it.
#pragma once

#include <mutex>
#include <vector>

#include "base/fork_order.hpp"

namespace nearfork {

/// The process's list of T. Only one thread at a time has it, from construction to destruction; fork() waits meanwhile.
template <class T>
class kept_list {
 public:
  kept_list() : lock_(mutex_) {}
  [[nodiscard]] std::vector<T>& all() const {
    static constinit std::vector<T>* kept = nullptr;
    if (kept == nullptr) kept = new std::vector<T>;
    return *kept;
  }

 private:
  inline static constinit std::mutex mutex_;
  no_fork_meanwhile gate_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace nearfork
