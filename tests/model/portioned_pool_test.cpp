// The real pool that is emptied in portions: no item is lost, taken twice, or out of sight on its way to a portion.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "model/expect_holds.hpp"
#include "runtime/protocols/portioned_pool.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

constexpr int items = 4;  // of these the first taker takes one, and one more goes to its portion

struct shared_pool {
  portioned_pool<int> pool{2};
  std::array<detail::seam::plain<int>, items> taken{};

  shared_pool() {
    for (int i = 0; i < items; ++i) pool.push(i);
  }
  void take(std::uint32_t taker, int times) {
    for (int i = 0; i < times; ++i)
      if (const auto one = pool.try_pop(taker)) taken[*one] = taken[*one] + 1;
  }
  void hand_on() {
    pool.hand_on([](int) { return true; }, [this](int one) { taken[one] = taken[one] + 1; });
  }
};

// [U1]: three of four items are taken, so one is in sight all the time, also if it lies in a portion.
TEST(portioned_pool_model, items_are_in_sight_until_all_are_taken) {
  const model::outcome result = model::explore(
      [](model::program& made) {
        auto shared = std::make_shared<shared_pool>();
        made.thread([=] { shared->take(0, 1); });
        made.thread([=] { shared->take(1, 2); });
        made.thread([=] { model::require(!shared->pool.looks_empty(), "one item is left at least"); });
      },
      {.preemptions = 3});
  expect_holds(result);
}

TEST(portioned_pool_model, each_item_is_taken_once) {
  const model::outcome result = model::explore(
      [](model::program& made) {
        auto shared = std::make_shared<shared_pool>();
        made.thread([=] { shared->take(0, 3); });
        made.thread([=] { shared->take(1, 3); });
        made.finally([=] {
          shared->take(0, items);
          for (const auto& one : shared->taken) model::require(one == 1, "each item is taken once");
          model::require(shared->pool.looks_empty(), "none is left");
        });
      },
      {.preemptions = 2});
  expect_holds(result);
}

// Somebody who is no taker hands all items on while takers take.
TEST(portioned_pool_model, each_item_is_taken_or_handed_on_once) {
  const model::outcome result = model::explore(
      [](model::program& made) {
        auto shared = std::make_shared<shared_pool>();
        shared->take(0, 1);  // one more item is in a portion now
        made.thread([=] { shared->take(0, 2); });
        made.thread([=] { shared->hand_on(); });
        made.finally([=] {
          shared->hand_on();
          for (const auto& one : shared->taken) model::require(one == 1, "each item is taken or handed on once");
          model::require(shared->pool.looks_empty(), "none is left");
        });
      },
      {.preemptions = 2});
  expect_holds(result);
}

// Somebody who is no taker takes one item out, which waits in a portion behind another one, or in the queue.
TEST(portioned_pool_model, each_item_is_taken_or_taken_out_once) {
  for (const int wanted : {1, 2, 3}) {
    const model::outcome result = model::explore(
        [wanted](model::program& made) {
          auto shared = std::make_shared<shared_pool>();
          for (int i = items; i < items + 2; ++i) shared->pool.push(0);
          shared->take(0, 1);
          made.thread([=] { shared->take(0, 2); });
          made.thread([=] {
            if (shared->pool.take_out([=](int one) { return one == wanted; }))
              shared->taken[wanted] = shared->taken[wanted] + 1;
          });
          made.finally([=] {
            shared->take(0, items + 2);
            model::require(shared->taken[wanted] == 1, "the item is taken or taken out once");
            model::require(shared->pool.looks_empty(), "none is left");
          });
        },
        {.preemptions = 2});
    expect_holds(result);
  }
}

}  // namespace
