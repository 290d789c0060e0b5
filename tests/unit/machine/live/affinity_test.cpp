#include "machine/live/affinity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "machine/live/number_list.hpp"

namespace {

using namespace nearfork;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(listed_numbers, are_read_as_the_system_writes_them) {
  EXPECT_THAT(listed_numbers("0-2,5,7-8\n"), ElementsAre(0, 1, 2, 5, 7, 8));
  EXPECT_THAT(listed_numbers("3"), ElementsAre(3));
  for (const char* const wrong : {"", "\n", "x", "5-2", "0-99999999"})
    EXPECT_THAT(listed_numbers(wrong), IsEmpty()) << wrong;
}

std::vector<unsigned> allowed(const std::vector<std::string>& threads,
                              const std::map<std::string, std::string>& files) {
  std::vector<unsigned> numbers;
  const auto read = [&](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
  for (const os_index one : allowed_by_proc(threads, read)) numbers.push_back(number_of(one));
  return numbers;
}

TEST(allowed_by_proc, are_the_pus_of_all_threads) {
  const std::string before = "Name:\tx\nCpus_allowed:\t3\n";
  EXPECT_THAT(allowed({".", "..", "10", "11", "12"},
                      {{"/proc/self/task/10/status", before + "Cpus_allowed_list:\t0-1\nMems_allowed:\t1\n"},
                       {"/proc/self/task/11/status", before + "Cpus_allowed_list:\t1,4\n"}}),
              ElementsAre(0, 1, 4))
      << "thread 12 is gone";
  EXPECT_THAT(allowed({}, {}), IsEmpty());
  EXPECT_THAT(allowed({"10"}, {{"/proc/self/task/10/status", before}}), IsEmpty());
}

TEST(allowed_by_proc, are_those_of_the_mask_here) {
  std::vector<unsigned long> mask;
  if (read_affinity(mask) != 0) GTEST_SKIP() << "sched_getaffinity is refused here";
  const auto told = allowed_by_proc();
  if (told.empty()) GTEST_SKIP() << "/proc says nothing of threads here";
  constexpr unsigned bits = sizeof(unsigned long) * 8;
  for (const os_index one : told)
    EXPECT_NE(mask[number_of(one) / bits] >> number_of(one) % bits & 1UL, 0UL) << number_of(one);
}

TEST(affinity, is_restored_as_it_was) {
  std::vector<unsigned long> before, after;
  ASSERT_EQ(read_affinity(before), 0);
  EXPECT_EQ(restore_affinity(before), 0);
  ASSERT_EQ(read_affinity(after), 0);
  EXPECT_EQ(after, before);
  EXPECT_NE(restore_affinity(std::vector<unsigned long>(before.size(), 0UL)), 0);  // a thread must run somewhere
}

}  // namespace
