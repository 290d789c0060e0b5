// How often each task of a group ran.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

namespace nearfork::test {

class run_counts {
 public:
  explicit run_counts(std::size_t tasks) : of_task_(tasks) {}
  [[nodiscard]] std::size_t tasks() const { return of_task_.size(); }
  void count(std::size_t task) { of_task_[task].fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool one_each() const {
    return std::ranges::all_of(of_task_, [](const std::atomic<int>& runs) { return runs == 1; });
  }

 private:
  std::vector<std::atomic<int>> of_task_;
};

}  // namespace nearfork::test
