#include "workloads/size.hpp"

#include <gtest/gtest.h>

#include <nearfork/error.hpp>

#include "workloads/memory.hpp"

namespace nearfork::workloads {
namespace {

const size_rules rules{{{"rows", "", 1, 1 << 20}, {"depth", "", 0, 9}}, {{"default", {100, 2}}, {"small", {10, 1}}}};

TEST(size, is_read_from_names_fields_and_both) {
  EXPECT_EQ(parse_size("w", rules, "small"), (size_values{10, 1}));
  EXPECT_EQ(parse_size("w", rules, "depth=5"), (size_values{100, 5}));
  EXPECT_EQ(parse_size("w", rules, "small,rows=2K"), (size_values{2048, 1}));
  EXPECT_EQ(parse_size("w", rules, "rows=1M,depth=0,rows=7"), (size_values{7, 0}));
}

TEST(size, that_is_wrong_is_refused_with_what_is_allowed) {
  for (const char* const text :
       {"", "big", "rows", "rows=", "rows=0", "rows=2M", "rows=-1", "rows=3x", "rows=3KK", "width=3", "small,",
        ",rows=1", "small,small", "rows=1,,depth=2", "rows=99999999999999999999", "rows=18014398509481985K"}) {
    try {
      (void)parse_size("w", rules, text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const error& refused) {
      EXPECT_NE(std::string(refused.what())
                    .find("allowed: default small; or FIELD=NUMBER,... with rows (1 to 1048576) depth (0 to 9)"),
                std::string::npos)
          << refused.what();
    }
  }
}

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
