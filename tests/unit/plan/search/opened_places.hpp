// What a search order lets a worker do.
#pragma once

#include <algorithm>

#include "plan/search/search_order.hpp"

namespace nearfork {

/// True if a step of `order` looks there and may be taken by that worker.
inline bool opens(const search_order& order, searcher who, look where) {
  return std::ranges::any_of(order.steps(),
                             [&](const search_step& step) { return step.where == where && applies(step.only, who); });
}

}  // namespace nearfork
