#include "machine/model/packed_parts.hpp"

#include <gtest/gtest.h>

#include <nearfork/error.hpp>

#include "base/privileged.hpp"
#include "machine/described/named_machines.hpp"

namespace {

using namespace nearfork;

TEST(packed_parts, are_unpacked_as_they_were) {
  for (const std::string& name : machine_names()) {
    const machine_parts parts = named_machine(name)->parts();
    const std::string bytes = packed_parts(parts);
    const machine_parts again = unpacked_parts(bytes);
    EXPECT_EQ(packed_parts(again), bytes) << name;
    EXPECT_EQ(picture_of(machine(again)), picture_of(machine(parts))) << name;
    EXPECT_EQ(again.node_distances, parts.node_distances) << name;
    EXPECT_EQ(again.present_pus, parts.present_pus) << name;
  }
}

TEST(packed_parts, that_are_cut_off_are_an_error) {
  const std::string bytes = packed_parts(machine_from_synthetic("package:2 core:2 pu:1")->parts());
  for (const std::size_t left : {std::size_t{0}, std::size_t{1}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THROW((void)unpacked_parts(bytes.substr(0, left)), error) << left;
}

/// In a privileged process a child reads the machine; in other processes this process does.
TEST(machines, are_the_same_whoever_reads_them) {
  const char* const described = "package:2 [numa(memory=1GB)] l3:2 core:4 pu:2";
  const std::string own = packed_parts(machine_from_synthetic(described)->parts());
  const pretended_privileges privileged;
  EXPECT_EQ(packed_parts(machine_from_synthetic(described)->parts()), own);
}

std::string refusal_of(const std::string& described) {
  try {
    (void)machine_from_synthetic(described);
  } catch (const error& refused) {
    return refused.what();
  }
  return "nothing was thrown";
}

TEST(machines, that_are_wrong_are_refused_alike_whoever_reads_them) {
  const std::string own = refusal_of("core:2 nonsense");
  EXPECT_NE(own.find("is no synthetic machine"), own.npos) << own;
  const pretended_privileges privileged;
  EXPECT_EQ(refusal_of("core:2 nonsense"), own);
}

}  // namespace
