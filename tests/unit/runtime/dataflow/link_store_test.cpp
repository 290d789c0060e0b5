#include "runtime/cells/link_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace nearfork {
namespace {

struct numbered_link {
  std::uint64_t number = 42;
  numbered_link* next = nullptr;
};

TEST(link_store, gives_each_link_once_and_uses_again_what_comes_back) {
  web_memory memory;
  link_store<numbered_link> store(memory);
  std::set<numbered_link*> taken;
  for (int i = 0; i < 3000; ++i) {
    numbered_link* const one = store.take();
    EXPECT_EQ(one->number, 42U);
    ASSERT_TRUE(taken.insert(one).second);
  }
  for (numbered_link* const each : taken) store.give(each);
  for (int i = 0; i < 3000; ++i) EXPECT_TRUE(taken.contains(store.take()));
  EXPECT_FALSE(taken.contains(store.take()));
}

TEST(link_store, shows_all_links_that_were_ever_taken) {
  web_memory memory;
  link_store<numbered_link> store(memory);
  std::set<const numbered_link*> taken;
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 1088U, 1089U, 3000U}) {
    while (taken.size() < count) taken.insert(store.take());
    std::set<const numbered_link*> shown;
    store.for_each([&](const numbered_link& each) { EXPECT_TRUE(shown.insert(&each).second); });
    EXPECT_EQ(shown, taken);
  }
}

/// What blocks hold must not overlap.
class marked_blocks {
 public:
  void add(void* block, std::size_t bytes) {
    std::memset(block, static_cast<int>(blocks_.size() % 251 + 1), bytes);
    // A type of this size needs no larger alignment.
    const std::size_t alignment = std::min(alignof(std::max_align_t), bytes & (~bytes + 1));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    blocks_.push_back({static_cast<const unsigned char*>(block), bytes});
  }
  [[nodiscard]] bool are_whole() const {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      for (std::size_t at = 0; at < blocks_[i].bytes; ++at)
        if (blocks_[i].first[at] != i % 251 + 1) return false;
    return true;
  }

 private:
  struct marked {
    const unsigned char* first;
    std::size_t bytes;
  };
  std::vector<marked> blocks_;
};

TEST(own_blocks, are_apart_from_those_that_others_take) {
  web_memory memory;
  block_store store(memory);
  own_blocks own;
  marked_blocks all;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::size_t bytes = 64 + i * 7 % (block_store::largest - 63);
    if (i % 3 == 0) {
      all.add(store.take(bytes), bytes);
      continue;
    }
    void* block = own.take(bytes);
    if (block == nullptr) {
      own.fill(store, bytes);
      block = own.take(bytes);
    }
    ASSERT_NE(block, nullptr);
    all.add(block, bytes);
  }
  EXPECT_TRUE(all.are_whole());
}

TEST(own_blocks, take_over_all_that_came_back) {
  web_memory memory;
  block_store store(memory);
  own_blocks own;
  std::set<void*> back;
  for (int i = 0; i < 100; ++i) back.insert(store.take(80));
  for (void* const each : back) store.give(each, 80);
  own.fill(store, 80);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(back.contains(own.take(80)));
  EXPECT_EQ(own.take(80), nullptr);
  EXPECT_FALSE(back.contains(store.take(80)));
}

}  // namespace
}  // namespace nearfork
