#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include <nearfork/config.hpp>

#include "exclusive_lists.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "unit/sim/machine/hand_models.hpp"
#include "unit/sim/machine/hybrid_machines.hpp"
#include "unit/sim/memory/random_touches.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t nanosecond = 1000;

machine_model exclusive_model(const machine& where) {
  machine_model made = round_model(where);
  made.exclusive_level = 3;
  return made;
}

/// Two domains of two cores. Each core has 16 lines of L1 and 32 lines of L2, each domain 64 lines of L3.
struct exclusive_domains {
  std::uint64_t touch(std::uint32_t core, std::uint32_t line, access_kind kind) {
    return memory.touch(core_id{core}, line, 1, kind).latency_ps;
  }
  std::uint64_t read(std::uint32_t core, std::uint32_t line) { return touch(core, line, access_kind::read); }
  std::uint64_t write(std::uint32_t core, std::uint32_t line) { return touch(core, line, access_kind::write); }
  void sweep(std::uint32_t core, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t line = first; line < last; ++line) (void)read(core, line);
  }
  std::uint64_t misses() const { return memory.counts().local + memory.counts().remote; }

  std::shared_ptr<const machine> where =
      load_machine("package:2 [numa] l3:1(size=4KiB) l2:2(size=2KiB) l1:1(size=1KiB) core:1 pu:1");
  memory_hierarchy memory{*where, exclusive_model(*where), 1 << 20};
};

TEST(exclusive_level, holds_what_private_caches_evict) {
  exclusive_domains at;
  at.sweep(0, 0, 33);
  EXPECT_EQ(at.read(0, 32), 1 * nanosecond);
  EXPECT_EQ(at.read(0, 0), 4 * nanosecond) << "the first of 17 lines in a row of L2";
  EXPECT_EQ(at.read(0, 0), 1 * nanosecond) << "and now back in L1";
}

// One core sweeps over as many lines as its L2 and L3 have, again and again: nothing comes from memory twice. An
// inclusive L3 of 64 lines would lose all of them.
TEST(exclusive_level, adds_up_with_the_private_cache_before_it) {
  exclusive_domains at;
  for (int i = 0; i < 3; ++i) at.sweep(0, 0, 32 + 64);
  EXPECT_EQ(at.misses(), 96U);
  EXPECT_EQ(at.memory.counts().level[2].hits, 192U);
  for (int i = 0; i < 2; ++i) at.sweep(0, 0, 32 + 64 + 4);
  EXPECT_GT(at.misses(), 96U + 4) << "one line too many for each row";
}

TEST(exclusive_level, has_room_for_the_private_caches_of_all_its_cores) {
  exclusive_domains at;
  for (int i = 0; i < 3; ++i) {
    at.sweep(0, 0, 64);
    at.sweep(1, 128, 128 + 64);
  }
  EXPECT_EQ(at.misses(), 128U);
}

TEST(exclusive_level, reads_what_only_a_neighbour_has_from_there) {
  exclusive_domains at;
  EXPECT_EQ(at.read(0, 7), 100 * nanosecond);
  EXPECT_EQ(at.read(1, 7), 4 * nanosecond);
  EXPECT_EQ(at.read(2, 7), 200 * nanosecond) << "the other domain";
  EXPECT_EQ(at.misses(), 2U);
}

TEST(exclusive_level, a_write_reaches_private_copies_of_the_other_domain) {
  exclusive_domains at;
  (void)at.read(2, 7);
  EXPECT_EQ(at.write(0, 7), (200 + 50) * nanosecond);
  EXPECT_EQ(at.memory.counts().invalidations, 1U);
  EXPECT_EQ(at.write(0, 7), 1 * nanosecond);
  EXPECT_EQ(at.read(2, 7), 100 * nanosecond);
  EXPECT_EQ(at.memory.counts().writebacks, 1U);
}

TEST(exclusive_level, writes_back_what_leaves_the_domain_and_nothing_before) {
  exclusive_domains at;
  EXPECT_EQ(at.write(0, 0), 100 * nanosecond);
  at.sweep(0, 1, 96);
  EXPECT_EQ(at.memory.counts().writebacks, 0U) << "96 lines, all in the domain";
  at.sweep(0, 96, 112);
  EXPECT_EQ(at.memory.counts().writebacks, 1U);
  EXPECT_EQ(at.read(0, 0), 100 * nanosecond);
}

// A core without a private cache before its last level has an inclusive one.
TEST(exclusive_level, needs_a_private_cache_before_it) {
  const auto where = load_machine("package:2 [numa] l3:1(size=1KB) core:2 pu:1");
  memory_hierarchy memory(*where, exclusive_model(*where), 1 << 20);
  const auto read = [&](std::uint32_t core) { return memory.touch(core_id{core}, 3, 1, access_kind::read).latency_ps; };
  EXPECT_EQ(read(0), 100 * nanosecond);
  EXPECT_EQ(read(1), 4 * nanosecond);
  EXPECT_EQ(read(0), 4 * nanosecond);
}

struct exclusive_machine {
  const char* shape;
  unsigned level;
};
/// So small that every row overflows.
const std::vector<exclusive_machine>& exclusive_machines() {
  static const std::vector<exclusive_machine> all{
      {"package:2 [numa] l3:1(size=3KB) l2:2(size=2KB) l1:1(size=1KB) core:1 pu:1", 3},
      {"package:2 [numa] l3:1(size=3KB) l2:2(size=2KB) l1:2(size=1KB) core:1 pu:1", 3},  // an L2 of two cores
      {"package:1 [numa] l3:1(size=1KB) l2:4(size=2KB) l1:1(size=2KB) core:1 pu:1", 3},  // smaller than what is before
      {"package:60 [numa] l2:1(size=2KB) l1:1(size=1KB) core:1 pu:1", 2}};               // more holders than bits
  return all;
}

void does_what_lists_of_lines_do(const machine& where, const machine_model& model) {
  constexpr std::uint32_t lines = 256;
  memory_hierarchy memory(where, model, lines * model.line_bytes);
  exclusive_lists expected(where, model);
  for (const auto [core, first, count, kind] : random_touches(where, lines, 300)) {
    std::uint64_t wanted_ps = 0;
    for (std::uint32_t line = first; line < first + count; ++line) wanted_ps += expected.touch(core, line, kind);
    RC_ASSERT(memory.touch(core_id{core}, first, count, kind).latency_ps == wanted_ps);
  }
  RC_ASSERT(memory.counts() == expected.counts());
}

RC_GTEST_PROP(exclusive_level, does_what_lists_of_lines_do, ()) {
  const auto pick = *rc::gen::inRange<std::size_t>(0, exclusive_machines().size());
  const auto where = load_machine(exclusive_machines()[pick].shape);
  machine_model model = round_model(*where);
  model.exclusive_level = exclusive_machines()[pick].level;
  does_what_lists_of_lines_do(*where, model);
}

RC_GTEST_PROP(exclusive_level, does_what_lists_of_lines_do_where_cores_differ, ()) {
  const machine where = hybrid_machine({.l3_bytes = {4 << 10, 6 << 10}});
  machine_model model = exclusive_model(where);
  give_ways(model, {.big = 3, .little = 4, .last = 8});
  does_what_lists_of_lines_do(where, model);
}

}  // namespace
}  // namespace nearfork::sim
