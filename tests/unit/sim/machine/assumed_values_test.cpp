#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string small_box = NEARFORK_SOURCE_DIR "/tests/machines/recorded/1pu-1p1c.xml";

TEST(assumed_values, are_none_with_a_model) {
  EXPECT_THAT(assumed_of(*load_machine("opteron-8380")), IsEmpty());
}

TEST(assumed_values, of_a_file_without_a_model_have_their_numbers) {
  EXPECT_THAT(assumed_of(*load_machine(small_box)),
              Contains(AllOf(HasSubstr("no model beside"), HasSubstr("1pu-1p1c.xml: assumed"),
                             HasSubstr("20 GB/s and 90 ns for each memory node"), HasSubstr("2.5 GHz"),
                             Not(HasSubstr("remote")), HasSubstr("docs/MACHINES.md"))));
}

TEST(assumed_values, of_remote_memory_depend_on_the_distance_table) {
  const auto told = [](const char* description) { return assumed_of(*load_machine(description)).at(0); };
  EXPECT_THAT(told("package:2 [numa] l3:1 core:2 pu:1"),
              AllOf(HasSubstr("synthetic"), HasSubstr("remote memory"), HasSubstr("L3 that answer in 18 ns")));
  EXPECT_THAT(told("[numa] core:2 pu:1"), Not(HasSubstr("remote memory")));
}

TEST(assumed_values, leave_out_what_the_description_says) {
  machine_parts parts = load_machine("package:2 [numa(memory=1GiB)] l3:1 core:2 pu:1")->parts();
  parts.nodes[0].latency_ns = 100;
  parts.core_kinds[0].max_mhz = 3000;
  EXPECT_THAT(assumed_of(machine(std::move(parts))),
              ElementsAre(AllOf(HasSubstr("20 GB/s for each memory node"), HasSubstr("90 ns for 1 of 2 memory nodes"),
                                HasSubstr("greatest clocks"), Not(HasSubstr("GHz")))));
}

std::vector<std::string> of_changed_parts(void (*change)(machine_parts&)) {
  machine_parts parts = load_machine("package:2 [numa(memory=1GiB)] l3:1 core:2 pu:1")->parts();
  change(parts);
  return assumed_of(machine(std::move(parts)));
}

TEST(assumed_values, name_what_a_description_lacks) {
  EXPECT_THAT(assumed_of(*load_machine(small_box)), Contains(HasSubstr("no cache is described")));
  EXPECT_THAT(of_changed_parts([](machine_parts& of) { of.remarks.levels_without_size = {1, 2}; }),
              Contains(HasSubstr("L1, L2 of a size that is not known")));
  EXPECT_THAT(of_changed_parts([](machine_parts& of) {
                for (memory_node& one : of.nodes) one.capacity_bytes = 0;
              }),
              Contains(HasSubstr("none is ever full")));
}

TEST(assumed_values, name_what_is_not_used) {
  EXPECT_THAT(of_changed_parts([](machine_parts& of) { of.remarks.memory_side_bytes = 1 << 30; }),
              Contains(HasSubstr("memory-side caches of 1G")));
  EXPECT_THAT(of_changed_parts([](machine_parts& of) { of.remarks.line_bytes = {64, 128}; }),
              Contains(HasSubstr("lines of 64, 128 bytes: simulated with 64")));
  EXPECT_THAT(of_changed_parts([](machine_parts& of) { of.remarks.line_bytes = {128}; }), testing::SizeIs(1));
}

}  // namespace
}  // namespace nearfork::sim
