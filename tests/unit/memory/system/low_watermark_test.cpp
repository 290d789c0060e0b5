#include "memory/system/low_watermark.hpp"

#include <gtest/gtest.h>

namespace nearfork {
namespace {

constexpr const char* two_nodes = R"(Node 0, zone      DMA
  per-node stats
      nr_inactive_anon 0
  pages free     3776
        boost    0
        min      190
        low      237
        high     284
        spanned  4095
        present  3998
        managed  3840
        cma      0
        protection: (0, 442, 442, 442, 442)
      nr_free_pages 3776
  pagesets
    cpu: 0
              count:    0
Node 0, zone    DMA32
  pages free     102044
        min      5634
        low      7042
        high     8450
        present  126976
        managed  115204
        protection: (0, 0, 0, 0, 0)
Node 1, zone      DMA
  pages free     0
        low      0
        managed  0
        protection: (0, 0, 30000, 30000, 30000)
Node 1, zone    DMA32
  pages free     500
        low      200
        managed  1000
        protection: (0, 0, 30000, 30000, 30000)
Node 1, zone   Normal
  pages free     60166
        min      3198
        low      3997
        high     4796
        managed  64337
        protection: (0, 0, 0, 0, 0)
)";

TEST(low_watermarks, is_below_the_low_watermarks_and_protected_in_lower_zones) {
  const low_watermarks kept(two_nodes);
  EXPECT_EQ(kept.pages_of(0), 237U + 442 + 7042);
  EXPECT_EQ(kept.pages_of(1), 1000U + 3997) << "no more of a zone than it has";
  EXPECT_EQ(kept.pages_of(2), 0U);
}

TEST(low_watermarks, is_none_where_the_system_does_not_say) {
  EXPECT_EQ(low_watermarks("").pages_of(0), 0U);
  EXPECT_EQ(low_watermarks("Node 0, zone DMA\n  low many\n  protection: (\n").pages_of(0), 0U);
}

}  // namespace
}  // namespace nearfork
