#include "plan/search/search_order.hpp"

#include <algorithm>

namespace nearfork {

std::string_view name_of(look where) noexcept {
  switch (where) {
    case look::own_deque: return "own deque";
    case look::same_domain: return "deques of the domain";
    case look::own_high_pool: return "own high pool";
    case look::own_weak_pool: return "own weak pool";
    case look::own_low_pool: return "own low pool";
    case look::remote_low_pools: return "remote low pools";
    case look::remote_weak_pools: return "remote weak pools";
    case look::remote_high_pools: return "remote high pools";
    case look::any_deque: return "any deque";
    case look::injector: return "injector";
  }
  return "?";
}

bool pools_have_conditions(const search_order& order) noexcept {
  return std::any_of(order.steps().begin(), order.steps().end(),
                     [](const search_step& step) { return is_pool(step.where) && step.only != step_conditions{}; });
}

bool asks_for_abundance(const search_order& order) noexcept {
  return std::any_of(order.steps().begin(), order.steps().end(),
                     [](const search_step& step) { return step.only.while_work_abounds; });
}

bool low_pools_are_open(const search_order& order) noexcept {
  const auto may_be_shut = [](const search_step& step) {
    return (step.where == look::own_low_pool || step.where == look::remote_low_pools) && !applies(step.only, {});
  };
  return std::none_of(order.steps().begin(), order.steps().end(), may_be_shut);
}

std::string_view unreachable_place(const search_order& order) noexcept {
  const auto has = [&](look where) {
    return std::any_of(order.steps().begin(), order.steps().end(),
                       [&](const auto& step) { return step.where == where; });
  };
  for (const look must : {look::own_deque, look::own_high_pool, look::own_low_pool, look::injector})
    if (!has(must)) return name_of(must);
  return has(look::same_domain) || has(look::any_deque) ? "" : name_of(look::same_domain);
}

}  // namespace nearfork
