// Which item of a pool a worker takes.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "plan/crew/worker_layout.hpp"

namespace nearfork {

enum class pool_item : std::uint8_t {
  oldest,
  newest,     // parent-first forks go depth-first then, and as few parents wait as the tree is deep
  own_place,  // the workers of a domain spread over its pool
};

/// The index of that item among `items` > 0, the oldest first. Subtrees reach a pool in the order of their data. So
/// workers at places of their own work in all parts of the data at a time, in all memory nodes of the domain, and come
/// back to the same part in each iteration.
[[nodiscard]] constexpr std::size_t place_in_pool(pool_item which, std::size_t items, worker_rank who) noexcept {
  switch (which) {
    case pool_item::oldest: return 0;
    case pool_item::newest: return items - 1;
    case pool_item::own_place: break;
  }
  return items * who.number / who.of;
}

/// Takes it out of `pool`, which must not be empty. Constant time: the newest item comes to a place between the ends.
template <class Item>
[[nodiscard]] Item take_item(std::deque<Item>& pool, pool_item which, worker_rank who) {
  assert(!pool.empty() && who.number < who.of);
  const std::size_t at = place_in_pool(which, pool.size(), who);
  const Item taken = pool[at];
  if (at == 0) {
    pool.pop_front();
  } else {
    pool[at] = pool.back();
    pool.pop_back();
  }
  return taken;
}

}  // namespace nearfork
