#include "sensors/hotness/clear_refs_source.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake_hotness.hpp"

namespace {

using namespace nearfork;
using test::fake_hotness_system;

const std::string marks = "/proc/self/clear_refs";
const std::string maps = "/proc/self/smaps";
const std::vector<address_range> three{{0x10000, 0x12000}, {0x12000, 0x14000}, {0x20000, 0x22000}};

std::string lines(const char* range, int kib) {
  return range + std::string(" rw-p 00000000 00:00 0\nReferenced: ") + std::to_string(kib) + " kB\n";
}

struct clear_refs : testing::Test {
  std::shared_ptr<fake_hotness_system> system = std::make_shared<fake_hotness_system>();
  clear_refs_source source{system};
  clear_refs() {
    system->file.content[marks] = "";
    system->file.content[maps] = lines("10000-12000", 8) + lines("12000-14000", 0) + lines("20000-22000", 4);
  }
};

TEST_F(clear_refs, counts_the_pages_of_each_chunk) {
  ASSERT_FALSE(source.try_out());
  EXPECT_TRUE(system->named.empty()) << "no trace";
  ASSERT_FALSE(source.begin(three));
  EXPECT_EQ(system->named, (std::vector<address_range>{three[1]}));
  std::vector<double> heat(3, 0);
  for (int i = 0; i < 2; ++i) {
    ASSERT_FALSE(source.open_window());
    ASSERT_FALSE(source.close_window(heat));
  }
  EXPECT_EQ(heat, (std::vector<double>{4, 0, 2}));
  EXPECT_EQ(system->forgotten, 2U);
  EXPECT_EQ(system->file.written.size(), 2U);
  EXPECT_EQ(system->file.written.front(), std::pair(marks, std::string("1")));
  source.end();
  EXPECT_TRUE(system->named.empty());
}

TEST_F(clear_refs, shares_a_mapping_of_several_chunks) {
  system->file.content[maps] = lines("10000-14000", 8) + lines("20000-22000", 0);
  ASSERT_FALSE(source.begin(three));
  std::vector<double> heat(3, 0);
  ASSERT_FALSE(source.open_window());
  ASSERT_FALSE(source.close_window(heat));
  EXPECT_EQ(heat, (std::vector<double>{1, 1, 0}));
}

TEST_F(clear_refs, keeps_chunks_apart_without_names) {
  system->refuse_name = EINVAL;  // a kernel without CONFIG_ANON_VMA_NAME
  ASSERT_FALSE(source.try_out());
  ASSERT_FALSE(source.begin(three));
  EXPECT_EQ(system->undumped, (std::vector<address_range>{three[1]}));
  source.end();
  EXPECT_TRUE(system->undumped.empty());
}

TEST_F(clear_refs, says_what_is_refused) {
  system->refuse_name = system->refuse_dump = EPERM;
  EXPECT_NE(source.try_out()->why.find("PR_SET_VMA"), std::string::npos);
  EXPECT_TRUE(source.begin(three));
  system->refuse_name = 0;
  for (const int refused : {EACCES, EPERM, ENOENT, EROFS}) {
    system->file.refuse_write[marks] = refused;
    EXPECT_NE(source.try_out()->why.find(marks), std::string::npos);
    EXPECT_NE(source.try_out()->why.find(std::to_string(refused)), std::string::npos);
  }
  system->file.refuse_write.clear();
  system->file.refuse_read[maps] = EACCES;
  EXPECT_NE(source.try_out()->why.find(maps), std::string::npos);
  system->file.refuse_read.clear();
  system->file.content[maps] = "nothing known";
  EXPECT_NE(source.try_out()->why.find("form"), std::string::npos);
}

TEST_F(clear_refs, says_what_is_refused_while_it_watches) {
  std::vector<double> heat(3, 0);
  ASSERT_FALSE(source.begin(three));
  system->refuse_forgetting = EACCES;
  EXPECT_NE(source.open_window()->why.find("mprotect"), std::string::npos);
  system->refuse_forgetting = 0;
  system->file.refuse_write[marks] = EPERM;
  EXPECT_TRUE(source.open_window());
  system->file.content[maps] = lines("10000-12000", 8) + "12000-14000 rw-p\n";  // cut short
  EXPECT_TRUE(source.close_window(heat));
  system->file.refuse_read[maps] = EIO;
  EXPECT_TRUE(source.close_window(heat));
  EXPECT_EQ(heat, (std::vector<double>(3, 0)));
}

TEST_F(clear_refs, does_without_memory_that_was_freed) {
  ASSERT_FALSE(source.begin(three));
  source.end();
  EXPECT_FALSE(source.begin({}));
  std::vector<double> none;
  EXPECT_FALSE(source.close_window(none));
  source.end();
}

}  // namespace
