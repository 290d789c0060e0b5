#include "sensors/cpu_model.hpp"

#include <gtest/gtest.h>

namespace {

using namespace nearfork;

TEST(cpu_model, is_read_from_what_x86_says) {
  const cpu_model read = cpu_model_of(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R) Gold\n"
      "flags\t\t: fpu vme hypervisorless\n\n"
      "processor\t: 1\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nflags\t\t: fpu vme\n\n");
  EXPECT_EQ(text_of(read), "GenuineIntel family 6 model 85");
  EXPECT_FALSE(read.several_kinds);
  EXPECT_FALSE(read.virtual_machine);
}

TEST(cpu_model, knows_a_virtual_machine_that_says_so) {
  EXPECT_TRUE(cpu_model_of("vendor_id : AuthenticAMD\nflags : fpu hypervisor lahf_lm\n").virtual_machine);
}

TEST(cpu_model, is_read_from_what_arm_says) {
  const cpu_model read = cpu_model_of(
      "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
      "CPU part\t: 0xd0c\nCPU revision\t: 1\n");
  EXPECT_EQ(read.vendor, "0x41");
  EXPECT_EQ(read.family, 8U);
  EXPECT_EQ(read.model, 0xd0cU);
}

TEST(cpu_model, notices_cores_of_several_kinds) {
  EXPECT_TRUE(cpu_model_of("CPU implementer : 0x41\nCPU part : 0xd0c\n\nCPU implementer : 0x41\nCPU part : 0xd05\n")
                  .several_kinds);
}

TEST(cpu_model, of_nothing_or_nonsense_is_not_known) {
  for (const char* const text : {"", "\n\n", "model : x\n", "no colon at all"}) {
    EXPECT_FALSE(cpu_model_of(text).known()) << text;
    EXPECT_EQ(text_of(cpu_model_of(text)), "a processor that /proc/cpuinfo does not name");
  }
}

}  // namespace
