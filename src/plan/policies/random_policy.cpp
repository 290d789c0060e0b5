#include "plan/policies/random_policy.hpp"

namespace nearfork {

// The papers' order is the first and the fourth step. The other steps find work that Cilk does not have: tasks sent to
// a place, and roots from outside. Roots come last, so that what was begun is finished first.
search_order random_policy::order(const machine&, phase) const {
  return {
      {.where = look::own_deque},
      {.where = look::own_low_pool, .item = pool_item::newest},
      {.where = look::any_deque, .spread = victim_spread::random},
      {.where = look::own_high_pool, .item = pool_item::newest},
      {.where = look::remote_low_pools, .spread = victim_spread::random},
      {.where = look::remote_high_pools, .spread = victim_spread::random},
      {.where = look::injector},
  };
}

}  // namespace nearfork
