// The seam for future policies: the papers' search orders can be written as data, and a searcher that follows them does
// what the papers say. The searcher here only follows the table; the runtime and the simulator have searchers of their
// own.
#include "plan/search/search_order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <vector>

#include "plan/search/victim_order.hpp"
#include "unit/plan/crew/layouts.hpp"

namespace nearfork {
namespace {

constexpr step_conditions head_of_free_domain{.head_only = true, .domain_free = true};

// A-CAB 3.3: own pool, the domain's pool; only the head of a socket that is not busy takes inter-socket tasks.
const search_order acab{
    {.where = look::own_deque},
    {.where = look::same_domain},
    {.where = look::own_high_pool, .item = pool_item::newest, .only = head_of_free_domain},
    {.where = look::own_low_pool, .item = pool_item::newest, .only = head_of_free_domain},
    {.where = look::remote_high_pools, .only = head_of_free_domain},
    {.where = look::injector},
};

// LAWS 3.4, from the second iteration on.
const search_order laws = acab;
// LAWS 3.4, first iteration: all tasks are in CF pools; every core takes from its own domain's pool and from no other.
const search_order laws_profiling{
    {.where = look::own_deque},
    {.where = look::same_domain},
    {.where = look::own_high_pool, .item = pool_item::newest},
    {.where = look::own_low_pool, .item = pool_item::newest},
    {.where = look::remote_high_pools, .only = {.head_only = true, .domain_free = true, .not_while_profiling = true}},
    {.where = look::injector},
};

// BATS 7.2: five levels; low-localized subtrees of others come before their high-localized subtrees.
const search_order bats{
    {.where = look::own_deque},
    {.where = look::same_domain},
    {.where = look::own_high_pool, .item = pool_item::newest, .only = {.domain_free = true}},
    {.where = look::own_low_pool, .item = pool_item::newest, .only = {.domain_free = true}},
    {.where = look::remote_low_pools, .only = {.domain_free = true}},
    {.where = look::remote_high_pools, .only = {.domain_free = true}},
    {.where = look::injector},
};

/// How much work lies in each place.
struct work_map {
  explicit work_map(const worker_layout& layout)
      : deques(layout.workers()),
        high(layout.domains()),
        weak(layout.domains()),
        low(layout.domains()),
        busy(layout.domains()) {}
  std::vector<int> deques, high, weak, low;
  std::vector<bool> busy;
  int injected = 0;
  bool profiling = false;
};

struct found_at {
  look where;
  std::uint32_t victim;  // worker or domain
  friend bool operator==(found_at, found_at) = default;
};

std::optional<std::uint32_t> first_with_work(const victim_order& victims, const std::vector<int>& work, rng& random) {
  std::optional<std::uint32_t> found;
  victims.ask(random, [&](std::uint32_t victim) {
    if (work[victim] > 0) found = victim;
    return found.has_value();
  });
  return found;
}

std::optional<std::uint32_t> follow(const search_step& step, const worker_layout& layout, const work_map& map,
                                    std::uint32_t self, rng& random) {
  const auto domain = layout.domain_of(self);
  const auto if_any = [](std::uint32_t where, int work) { return work > 0 ? std::optional(where) : std::nullopt; };
  switch (step.where) {
    case look::own_deque: return if_any(self, map.deques[self]);
    case look::own_high_pool: return if_any(domain, map.high[domain]);
    case look::own_weak_pool: return if_any(domain, map.weak[domain]);
    case look::own_low_pool: return if_any(domain, map.low[domain]);
    case look::injector: return if_any(0, map.injected);
    case look::same_domain:
    case look::any_deque: return first_with_work(victims_of(step, layout, self), map.deques, random);
    case look::remote_low_pools: return first_with_work(victims_of(step, layout, self), map.low, random);
    case look::remote_weak_pools: return first_with_work(victims_of(step, layout, self), map.weak, random);
    case look::remote_high_pools: return first_with_work(victims_of(step, layout, self), map.high, random);
  }
  return std::nullopt;
}

std::optional<found_at> search(const search_order& order, const worker_layout& layout, const work_map& map,
                               std::uint32_t self) {
  rng random(self);
  const searcher who{
      .is_head = layout.is_head(self), .domain_busy = map.busy[layout.domain_of(self)], .profiling = map.profiling};
  for (const search_step& step : order.steps())
    if (applies(step.only, who))
      if (const auto victim = follow(step, layout, map, self, random)) return found_at{step.where, *victim};
  return std::nullopt;
}

const worker_layout four_by_four = layout_of({4, 4, 4, 4});

TEST(search_order, is_a_small_value_in_the_order_given) {
  static_assert(sizeof(search_order) <= 128);
  ASSERT_EQ(bats.steps().size(), 7U);
  EXPECT_EQ(bats.steps()[4].where, look::remote_low_pools);
  EXPECT_TRUE(search_order{}.steps().empty());
  EXPECT_EQ(acab, laws);
  EXPECT_FALSE(acab == bats);
}

TEST(step_conditions, all_must_hold) {
  struct row {
    step_conditions only;
    searcher who;
    bool may;
  };
  const row rows[] = {
      {{}, {}, true},
      {{}, {.is_head = false, .domain_busy = true, .profiling = true}, true},
      {{.head_only = true}, {.is_head = false}, false},
      {{.head_only = true}, {.is_head = true, .domain_busy = true}, true},
      {{.domain_free = true}, {.domain_busy = true}, false},
      {{.domain_free = true}, {.domain_busy = false}, true},
      {{.not_while_profiling = true}, {.profiling = true}, false},
      {{.not_while_planned = true}, {.planned = true}, false},
      {{.not_while_planned = true}, {.profiling = true}, true},
      {{.head_only = true, .domain_free = true}, {.is_head = true, .domain_busy = true}, false},
      {{.head_only = true, .domain_free = true}, {.is_head = true, .domain_busy = false}, true},
  };
  for (const row& r : rows) EXPECT_EQ(applies(r.only, r.who), r.may);
}

TEST(is_busy, a_subtree_that_nobody_works_on_blocks_nobody) {
  static_assert(is_busy({.subtrees_in_progress = 1, .working = 1}));
  static_assert(is_busy({.subtrees_in_progress = 2, .working = 3}));
  static_assert(!is_busy({.subtrees_in_progress = 1, .working = 0}));
  static_assert(!is_busy({.subtrees_in_progress = 0, .working = 4}));
}

TEST(search_order, of_acab_steals_inside_the_domain_first) {
  work_map map(four_by_four);
  map.deques[2] = map.deques[9] = 1;
  map.high[0] = 1;
  EXPECT_EQ(search(acab, four_by_four, map, 0), (found_at{look::same_domain, 2}));
  map.deques[2] = 0;
  EXPECT_EQ(search(acab, four_by_four, map, 0), (found_at{look::own_high_pool, 0}));
}

TEST(search_order, of_acab_lets_only_the_head_of_a_free_domain_fetch_subtrees) {
  work_map map(four_by_four);
  map.high[1] = map.high[3] = 1;
  EXPECT_EQ(search(acab, four_by_four, map, 5), std::nullopt) << "not the head";
  EXPECT_EQ(search(acab, four_by_four, map, 4), (found_at{look::own_high_pool, 1}));
  map.busy[1] = true;
  EXPECT_EQ(search(acab, four_by_four, map, 4), std::nullopt) << "one subtree at a time";
  map.busy[1] = false;
  map.high[1] = 0;
  EXPECT_EQ(search(acab, four_by_four, map, 4), (found_at{look::remote_high_pools, 3}));
}

TEST(search_order, of_acab_never_steals_from_other_domains_deques) {
  work_map map(four_by_four);
  map.deques[12] = 5;
  for (std::uint32_t self = 0; self < 12; ++self) EXPECT_EQ(search(acab, four_by_four, map, self), std::nullopt);
}

TEST(search_order, of_laws_keeps_the_profiling_iteration_at_home) {
  work_map map(four_by_four);
  map.profiling = true;
  map.high[1] = 1;
  EXPECT_EQ(search(laws_profiling, four_by_four, map, 6), (found_at{look::own_high_pool, 1}))
      << "any core, not the head alone";
  EXPECT_EQ(search(laws_profiling, four_by_four, map, 0), std::nullopt)
      << "first touch would put pages on the wrong node";
  map.profiling = false;
  EXPECT_EQ(search(laws_profiling, four_by_four, map, 0), (found_at{look::remote_high_pools, 1}));
}

TEST(search_order, of_bats_has_five_levels) {
  work_map map(four_by_four);
  const std::uint32_t self = 6;  // domain 1
  map.high[3] = 1;
  EXPECT_EQ(search(bats, four_by_four, map, self), (found_at{look::remote_high_pools, 3}));
  map.low[0] = 1;
  EXPECT_EQ(search(bats, four_by_four, map, self), (found_at{look::remote_low_pools, 0}));
  map.low[1] = 1;
  EXPECT_EQ(search(bats, four_by_four, map, self), (found_at{look::own_low_pool, 1}));
  map.high[1] = 1;
  EXPECT_EQ(search(bats, four_by_four, map, self), (found_at{look::own_high_pool, 1}));
  map.deques[7] = 1;
  EXPECT_EQ(search(bats, four_by_four, map, self), (found_at{look::same_domain, 7}));
}

TEST(unreachable_place, names_what_nobody_would_ever_look_at) {
  for (const search_order& order : {acab, laws_profiling, bats}) EXPECT_EQ(unreachable_place(order), "");
  EXPECT_EQ(unreachable_place({}), "own deque");
  EXPECT_EQ(unreachable_place({{.where = look::own_deque},
                               {.where = look::own_high_pool, .item = pool_item::newest},
                               {.where = look::own_low_pool, .item = pool_item::newest},
                               {.where = look::injector}}),
            "deques of the domain");
}

// Wherever a single piece of work lies, some worker finds it once domains are free, on every layout.
RC_GTEST_PROP(search_order, no_work_is_lost, (std::uint64_t seed)) {
  rng random(seed);
  for (const worker_layout& layout : layouts())
    for (const search_order& order : {acab, laws_profiling, bats}) {
      work_map map(layout);
      const auto worker = random.below(layout.workers());
      switch (random.below(4)) {
        case 0: map.deques[worker] = 1; break;
        case 1: map.high[layout.domain_of(worker)] = 1; break;
        case 2: map.low[layout.domain_of(worker)] = 1; break;
        default: map.injected = 1; break;
      }
      bool found = false;
      for (std::uint32_t self = 0; self < layout.workers(); ++self)
        found = found || search(order, layout, map, self).has_value();
      RC_ASSERT(found);
    }
}

TEST(search_order, tells_whether_pools_have_conditions) {
  EXPECT_FALSE(pools_have_conditions({{.where = look::own_high_pool, .item = pool_item::newest},
                                      {.where = look::any_deque, .only = {.head_only = true}}}));
  EXPECT_TRUE(pools_have_conditions({{.where = look::remote_low_pools, .only = {.head_only = true}}}));
}

TEST(search_order, tells_whether_low_pools_are_open_without_a_plan) {
  EXPECT_TRUE(low_pools_are_open({{.where = look::own_high_pool, .only = {.head_only = true}},
                                  {.where = look::remote_low_pools, .only = {.not_while_planned = true}}}));
  EXPECT_FALSE(low_pools_are_open({{.where = look::remote_low_pools, .only = {.head_only = true}}}));
  EXPECT_FALSE(low_pools_are_open({{.where = look::own_low_pool, .only = {.rather_than_sleep = true}}}));
}

}  // namespace
}  // namespace nearfork
