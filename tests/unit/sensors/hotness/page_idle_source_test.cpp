#include "sensors/hotness/page_idle_source.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake_hotness.hpp"

namespace {

using namespace nearfork;
using test::fake_hotness_system;

const std::string bitmap = "/sys/kernel/mm/page_idle/bitmap";
const std::string pagemap = "/proc/self/pagemap";
constexpr std::uint64_t present = std::uint64_t{1} << 63;
const std::vector<address_range> two{{0x10000, 0x14000}, {0x20000, 0x28000}};

/// Page i of the addresses is frame i + 1000.
struct page_idle : testing::Test {
  std::shared_ptr<fake_hotness_system> system = std::make_shared<fake_hotness_system>();
  page_idle_source source{system};
  page_idle() {
    for (std::uint64_t i = 0; i < 64; ++i) system->word_files[pagemap][i] = present | (i + 1000);
    for (std::uint64_t i = 0; i < 32; ++i) system->word_files[bitmap][i] = 0;
  }
  void use(std::uint64_t page) {
    system->word_files[bitmap][(page + 1000) / 64] &= ~(std::uint64_t{1} << (page + 1000) % 64);
  }
};

TEST_F(page_idle, samples_pages_of_each_chunk) {
  ASSERT_FALSE(source.try_out());
  ASSERT_FALSE(source.begin(two));
  ASSERT_FALSE(source.open_window());
  EXPECT_EQ(system->forgotten, 1U);
  for (std::uint64_t page = 0x20; page < 0x28; ++page) use(page);
  use(0x10);
  std::vector<double> heat(2, 0);
  ASSERT_FALSE(source.close_window(heat));
  EXPECT_EQ(heat, (std::vector<double>{1, 8})) << "one page of four; all four samples of eight pages";
  source.end();
}

TEST_F(page_idle, leaves_out_pages_that_cannot_be_marked) {
  system->word_files[pagemap][0x10] = 0;                 // not there
  system->word_files[pagemap][0x11] = present | 999999;  // no word for it
  ASSERT_FALSE(source.begin(two));
  ASSERT_FALSE(source.open_window());
  use(0x12);
  std::vector<double> heat(2, 0);
  ASSERT_FALSE(source.close_window(heat));
  EXPECT_EQ(heat[0], 2) << "one of two samples, of four pages";
}

TEST_F(page_idle, says_what_is_refused) {
  system->refuse_open[bitmap] = EPERM;
  EXPECT_NE(source.try_out()->why.find(bitmap), std::string::npos);
  system->refuse_open = {{pagemap, EACCES}};
  EXPECT_NE(source.try_out()->why.find(pagemap), std::string::npos);
  system->refuse_open.clear();
  system->word_files[pagemap][1] = present;  // without CAP_SYS_ADMIN
  EXPECT_NE(source.try_out()->why.find("hides"), std::string::npos);
  system->word_files[pagemap].erase(1);
  EXPECT_NE(source.begin(two)->why.find("errno 5"), std::string::npos) << "a short read";
  system->word_files.erase(bitmap);
  EXPECT_NE(source.try_out()->remedy.find("CONFIG_IDLE_PAGE_TRACKING"), std::string::npos);
}

TEST_F(page_idle, says_what_is_refused_while_it_watches) {
  std::vector<double> heat(2, 0);
  ASSERT_FALSE(source.begin(two));
  ASSERT_FALSE(source.open_window());
  system->refuse_word = EIO;
  EXPECT_TRUE(source.close_window(heat));
  EXPECT_TRUE(source.open_window()) << "no page can be marked";
  system->refuse_word = 0;
  system->refuse_forgetting = EACCES;
  EXPECT_TRUE(source.open_window());
  EXPECT_EQ(heat, (std::vector<double>{0, 0}));
}

}  // namespace
