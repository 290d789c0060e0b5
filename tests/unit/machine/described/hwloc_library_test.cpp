#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include <nearfork/error.hpp>

#include "machine/described/hwloc_library.hpp"
#include "machine/model/machine.hpp"

namespace {

using namespace nearfork;
using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const char* file_name) {
  try {
    const hwloc_library hwloc(file_name);
  } catch (const error& refused) {
    return refused.what();
  }
  return "nothing was thrown";
}

/// The number of cores of a machine with `cores` cores, or the reason why the machine could not be read.
std::string cores_or_refusal(std::size_t cores) {
  try {
    return std::to_string(load_machine("core:" + std::to_string(cores) + " pu:1")->cores().size());
  } catch (const error& refused) {
    return refused.what();
  }
}

TEST(hwloc_library, says_what_to_install_where_there_is_none) {
  EXPECT_THAT(refusal_of("libhwloc-of-nobody.so.15"),
              AllOf(HasSubstr("cannot load hwloc"), HasSubstr("libhwloc-of-nobody.so.15"), HasSubstr("No such file"),
                    HasSubstr("apt-get install libhwloc15")));
}

TEST(hwloc_library, says_what_is_wrong_with_another_library) {
  EXPECT_THAT(refusal_of("libm.so.6"), AllOf(HasSubstr("libm.so.6 is not the hwloc"), HasSubstr("hwloc_bitmap_alloc"),
                                             HasSubstr("apt-get install libhwloc15")));
}

TEST(hwloc_library, outlives_others) {
  const hwloc_library first;
  {
    const hwloc_library second;
  }
  hwloc_bitmap_t const bitmap = first.bitmap_alloc();
  EXPECT_NE(first.bitmap_iszero(bitmap), 0);
  first.bitmap_free(bitmap);
}

TEST(hwloc_library, reads_machines_on_several_threads_at_once) {
  std::vector<std::thread> readers;
  std::vector<std::string> read(8);
  for (std::size_t i = 0; i < read.size(); ++i) readers.emplace_back([&read, i] { read[i] = cores_or_refusal(i + 1); });
  for (std::thread& one : readers) one.join();
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], std::to_string(i + 1));
}

}  // namespace
