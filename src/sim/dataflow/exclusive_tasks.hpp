// Which tasks of a dataflow program must wait for others because both need something for themselves.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/dataflow/dataflow_program.hpp"

namespace nearfork::sim {

class exclusive_tasks {
 public:
  explicit exclusive_tasks(const dataflow_program& what) : what_(what), numbers_(what.exclusion_numbers()) {}

  /// False: a number that the task needs is taken; it begins by end() of another one. A task takes all of its numbers
  /// or none, so no two wait for each other.
  [[nodiscard]] bool try_begin(std::uint32_t task) {
    for (const std::uint32_t one : what_.exclusions(task)) {
      if (!numbers_[one].is_taken) continue;
      numbers_[one].waiting.push_back(task);
      return false;
    }
    for (const std::uint32_t one : what_.exclusions(task)) numbers_[one].is_taken = true;
    return true;
  }

  /// Calls begin(task) for the tasks that begin because `ended` gives its numbers back, those that waited longer first.
  /// Of each number up to the first one that takes it: the others go on waiting.
  template <class Begin>
  void end(std::uint32_t ended, const Begin& begin) {
    const auto numbers = what_.exclusions_ended(ended);
    for (const std::uint32_t one : numbers) numbers_[one].is_taken = false;
    for (const std::uint32_t one : numbers)
      while (!numbers_[one].is_taken && !numbers_[one].waiting.empty()) {
        const std::uint32_t next = numbers_[one].waiting.front();
        numbers_[one].waiting.pop_front();
        if (try_begin(next)) begin(next);
      }
  }

 private:
  struct number {
    bool is_taken = false;
    std::deque<std::uint32_t> waiting{};
  };

  const dataflow_program& what_;
  std::vector<number> numbers_;
};

}  // namespace nearfork::sim
