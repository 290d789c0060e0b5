#include "memory/blocks/block_registry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/rng.hpp"

namespace nearfork {
namespace {

constexpr std::uintptr_t chunk = block_registry::chunk_bytes;

TEST(block_registry, finds_every_byte_of_a_block_and_none_beside_it) {
  block_registry registry;
  const block_id id = registry.add(7 * chunk, 9 * chunk + 100);
  EXPECT_FALSE(registry.find(7 * chunk - 1));
  for (const std::uintptr_t inside : {7 * chunk, 8 * chunk, 9 * chunk + 99}) {
    ASSERT_TRUE(registry.find(inside));
    EXPECT_EQ(registry.find(inside)->id, id);
    EXPECT_EQ(registry.find(inside)->begin, 7 * chunk);
    EXPECT_EQ(registry.find(inside)->end, 9 * chunk + 100);
  }
  EXPECT_FALSE(registry.find(9 * chunk + 100));
  EXPECT_FALSE(registry.find(0));
  EXPECT_FALSE(registry.find(~std::uintptr_t{0}));
}

TEST(block_registry, gives_a_later_block_another_name) {
  block_registry registry;
  const block_id first = registry.add(chunk, 2 * chunk);
  registry.remove(*registry.find(chunk));
  EXPECT_FALSE(registry.find(chunk));
  const block_id second = registry.add(chunk, 2 * chunk);
  EXPECT_EQ(first.slot, second.slot) << "slots are used again";
  EXPECT_NE(first, second);
}

TEST(block_registry, spans_its_tables) {
  block_registry registry;
  const std::uintptr_t far = (std::uintptr_t{1} << 34) - chunk;  // the last chunk of a leaf
  const block_id id = registry.add(far, far + 3 * chunk);
  EXPECT_EQ(registry.find(far)->id, id);
  EXPECT_EQ(registry.find(far + 2 * chunk)->id, id);
  const std::uintptr_t last = (std::uintptr_t{1} << block_registry::address_bits) - chunk;
  const block_id highest = registry.add(last, last + chunk);
  EXPECT_EQ(registry.find(last + chunk - 1)->id, highest);
}

RC_GTEST_PROP(block_registry, agrees_with_a_map, (std::uint64_t seed)) {
  rng random(seed);
  block_registry registry;
  std::map<std::uintptr_t, found_block> model;
  for (int step = 0; step < 200; ++step) {
    const std::uintptr_t begin = (1 + random.below(64) * 4) * chunk;
    const auto known = model.find(begin);
    if (known == model.end()) {
      const std::uintptr_t end = begin + 1 + random.below(static_cast<std::uint32_t>(4 * chunk));
      model[begin] = {registry.add(begin, end), begin, end};
    } else {
      registry.remove(known->second);
      model.erase(known);
    }
    const std::uintptr_t asked = random.below(static_cast<std::uint32_t>(257 * chunk));
    const auto found = registry.find(asked);
    auto after = model.upper_bound(asked);
    const bool held = after != model.begin() && asked < std::prev(after)->second.end;
    RC_ASSERT(found.has_value() == held);
    if (held) RC_ASSERT(found->id == std::prev(after)->second.id);
  }
}

// A look while blocks come and go finds one whole block that existed, or none.
TEST(block_registry, is_read_while_it_changes) {
  block_registry registry;
  std::atomic<bool> done{false};
  std::thread looking([&] {
    while (!done.load())
      if (const auto found = registry.find(chunk + 5)) {
        const bool small = found->begin == chunk && found->end == 2 * chunk && found->id.generation % 4 == 1;
        const bool large = found->begin == chunk && found->end == 5 * chunk && found->id.generation % 4 == 3;
        EXPECT_TRUE(small || large) << found->begin << " " << found->end << " " << found->id.generation;
      }
  });
  for (int i = 0; i < 20'000; ++i) {
    (void)registry.add(chunk, (i % 2 == 0 ? 2 : 5) * chunk);
    registry.remove(*registry.find(chunk));
  }
  done.store(true);
  looking.join();
}

}  // namespace
}  // namespace nearfork
