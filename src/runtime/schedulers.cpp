#include "runtime/schedulers.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/fork_order.hpp"

namespace nearfork {
namespace {

/// One thread at a time has the list; fork() waits for it.
class list_turn {
 public:
  list_turn() : lock_(mutex_) {}
  /// Never destroyed: tasks may still run while the process ends.
  [[nodiscard]] std::vector<scheduler*>& all() const {
    static constinit std::vector<scheduler*>* kept = nullptr;
    if (kept == nullptr) kept = new std::vector<scheduler*>;
    return *kept;
  }

 private:
  inline static constinit std::mutex mutex_;
  no_fork_meanwhile gate_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace

void enlist(scheduler& made) {
  const list_turn turn;
  turn.all().push_back(&made);
}

void strike_off(scheduler& gone) noexcept {
  const list_turn turn;
  std::erase(turn.all(), &gone);
}

void for_each_scheduler(const std::function<void(scheduler&)>& act) noexcept {
  const list_turn turn;
  for (scheduler* const one : turn.all()) act(*one);
}

}  // namespace nearfork
