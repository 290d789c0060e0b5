#include "runtime/schedulers.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace nearfork {
namespace {

struct list {
  std::mutex mutex;
  std::vector<scheduler*> members;
};

/// Never destroyed: tasks may still run while the process ends.
list& all() {
  static list& one = *new list;
  return one;
}

}  // namespace

void enlist(scheduler& made) {
  const std::lock_guard lock(all().mutex);
  all().members.push_back(&made);
}

void strike_off(scheduler& gone) noexcept {
  const std::lock_guard lock(all().mutex);
  std::erase(all().members, &gone);
}

void for_each_scheduler(const std::function<void(scheduler&)>& act) noexcept {
  const std::lock_guard lock(all().mutex);
  for (scheduler* const one : all().members) act(*one);
}

}  // namespace nearfork
