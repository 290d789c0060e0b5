#include "runtime/lifetime/schedulers.hpp"

#include <vector>

#include "base/kept_list.hpp"

namespace nearfork {
namespace {

using list_turn = kept_list<scheduler*>;

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
