#include "memory/system/poison.hpp"

#include <gtest/gtest.h>

#include "tests/fake_spans.hpp"

extern "C" {
[[gnu::weak]] void* __asan_region_is_poisoned(void* begin, std::size_t size);
[[gnu::weak]] int __asan_address_is_poisoned(const volatile void* address);
}

namespace {

using namespace nearfork;

TEST(node_pools_poison, closes_what_no_user_has) {
  if (!sanitizers::checks_addresses()) GTEST_SKIP() << "this build has no address sanitizer";
  const test::fake_pools pools({1});
  auto* const block = static_cast<std::byte*>(pools->allocate(node_id{0}, 100, 16));
  EXPECT_EQ(__asan_region_is_poisoned(block, 100), nullptr);
  EXPECT_TRUE(__asan_address_is_poisoned(block + 100 + 4));  // beyond the requested bytes, within the class
  pools->deallocate(block, 100);
  EXPECT_TRUE(__asan_address_is_poisoned(block + sizeof(pool_block)));
}

TEST(node_pools_poison, does_nothing_without_the_address_sanitizer) {
  if (sanitizers::checks_addresses()) GTEST_SKIP() << "this build has the address sanitizer";
  std::byte bytes[64] = {};
  poison::close(bytes, sizeof bytes);
  bytes[63] = std::byte{1};
  poison::open(bytes, sizeof bytes);
  EXPECT_EQ(bytes[63], std::byte{1});
}

}  // namespace
