// A list that the process keeps to its end: never destroyed, so that whatever runs at exit may use it.
#pragma once

#include <mutex>
#include <vector>

#include "base/fork_order.hpp"

namespace nearfork {

/// The process's list of T, for one thread at a time, from construction to destruction; fork() waits meanwhile.
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
