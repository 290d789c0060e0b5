#include "workloads/memory.hpp"

#include <gtest/gtest.h>

namespace nearfork::workloads {
namespace {

TEST(memory, is_read_from_meminfo) {
  EXPECT_EQ(available_from_meminfo("MemTotal:  10 kB\nMemAvailable:    2048 kB\n"), 2048U << 10);
  EXPECT_EQ(available_from_meminfo("MemTotal: 10 kB\n"), std::nullopt);
  EXPECT_EQ(available_from_meminfo("MemAvailable: "), std::nullopt);
  EXPECT_GT(available_memory(), 0U);
}

TEST(memory, is_shown_with_a_unit) {
  EXPECT_EQ(bytes_text(32), "32 B");
  EXPECT_EQ(bytes_text(std::uint64_t{3} << 19), "1.5 MiB");
}

}  // namespace
}  // namespace nearfork::workloads
