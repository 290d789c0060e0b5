// The real slot of the block registry: a look while blocks come and go finds one whole block, or none.
#include <gtest/gtest.h>

#include <memory>

#include "memory/blocks/block_slot.hpp"
#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

// [M1]: the first block is [10, 20), the second [10, 30). The bounds of one block under the generation of the other
// would describe a block that never existed.
TEST(block_slot_model, a_look_sees_one_block_whole) {
  const model::outcome result = model::explore(
      [](model::program& made) {
        auto slot = std::make_shared<block_slot>();
        made.thread([=] {
          slot->open(10, 20);
          slot->close();
          slot->open(10, 30);
        });
        made.thread([=] {
          const auto found = slot->find(15);
          if (!found) return;
          model::require(found->begin == 10, "where both begin");
          model::require(found->generation == 1 || found->generation == 3, "a block that was open");
          model::require(found->end == (found->generation == 1 ? 20U : 30U), "the end is that of the block");
        });
      },
      {.preemptions = 4});
  expect_holds(result);
}

// A slot that is known to be closed for good finds nothing: another allocation may own the address by then.
TEST(block_slot_model, a_closed_block_is_not_found_by_who_knows_it_closed) {
  const model::outcome result = model::explore(
      [](model::program& made) {
        auto slot = std::make_shared<block_slot>();
        auto closed = std::make_shared<detail::seam::atomic<std::uint32_t>>(0);
        slot->open(10, 20);
        made.thread([=] {
          slot->close();
          closed->store(1, detail::seam::memory_order_release);
        });
        made.thread([=] {
          if (closed->load(detail::seam::memory_order_acquire) == 1) model::require(!slot->find(15), "it is gone");
        });
      },
      {.preemptions = 4});
  expect_holds(result);
}

}  // namespace
