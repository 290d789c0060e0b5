#include "runtime/workers/crews.hpp"

#include <vector>

#include "base/kept_list.hpp"

namespace nearfork {
namespace {

using list_turn = kept_list<crew*>;

}  // namespace

void enlist(crew& made) {
  const list_turn turn;
  turn.all().push_back(&made);
}

void strike_off(crew& gone) noexcept {
  const list_turn turn;
  std::erase(turn.all(), &gone);
}

void for_each_crew(const std::function<void(crew&)>& act) noexcept {
  const list_turn turn;
  for (crew* const one : turn.all()) act(*one);
}

}  // namespace nearfork
