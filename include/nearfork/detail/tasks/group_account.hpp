#pragma once

#include <cstdint>

namespace nearfork {

class task_group;

namespace detail {

/// What a fiber that runs tasks of a group has not told the group's count yet ([O5] of tasks_elsewhere.hpp). Where each
/// spawn and each end was counted at once, a tree of trivial tasks that spawn into one group took 30 to 65 ns a task on
/// two workers, and 13 so.
struct group_account {
  task_group* group = nullptr;  // nullptr: there is none
  std::int64_t balance = 0;     // tasks that were spawned, less tasks that have ended
  bool is_open = false;         // the count knows of it
};

}  // namespace detail
}  // namespace nearfork
