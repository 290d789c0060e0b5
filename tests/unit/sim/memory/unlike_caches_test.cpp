// Machines whose cores, or domains, have caches of other sizes, ways and sharing than the rest.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "searched_memory.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "unit/sim/machine/hand_models.hpp"
#include "unit/sim/machine/hybrid_machines.hpp"
#include "unit/sim/memory/random_hybrids.hpp"
#include "unit/sim/memory/random_touches.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t a_ns = 1000;

// A big core's own L2 has 1.25 MiB, not the 2 MiB that four little cores share.
TEST(unlike_caches, have_the_sizes_of_each_core) {
  const auto hybrid = load_machine("alder-lake");
  const std::uint32_t lines = (1600 << 10) / 64;
  const auto misses_of_second_sweep = [&](core_id core) {
    memory_hierarchy memory(*hybrid, model_of(*hybrid), lines * 64);
    (void)memory.touch(core, 0, lines, access_kind::read);
    const std::uint64_t before = memory.counts().level[1].misses();
    (void)memory.touch(core, 0, lines, access_kind::read);
    return memory.counts().level[1].misses() - before;
  };
  EXPECT_EQ(misses_of_second_sweep(core_id{0}), lines);
  EXPECT_EQ(misses_of_second_sweep(core_id{8}), 0U);
}

constexpr std::uint32_t big_core = 0;
constexpr std::uint32_t little_core = 2;
constexpr std::uint32_t little_neighbour = 5;  // behind the same L2
constexpr std::uint32_t last_big_core = 6;
constexpr std::uint32_t far_big_core = 7;  // a big core of the other domain

machine_model model_with(const machine& where, hybrid_ways ways) {
  machine_model made = round_model(where);
  give_ways(made, ways);
  return made;
}

/// Big cores: 16 rows of L1 and 48 of L2, of two lines. Little ones: 4 of L1 and 16 of L2, of four. An L3: 32 of eight.
struct big_and_little {
  std::uint64_t touch(std::uint32_t core, std::uint32_t first, std::uint32_t count, access_kind kind) {
    return memory.touch(core_id{core}, first, count, kind).latency_ps;
  }
  std::uint64_t read(std::uint32_t core, std::uint32_t line) { return touch(core, line, 1, access_kind::read); }

  hybrid_shape shape{};
  machine where = hybrid_machine(shape);
  memory_hierarchy memory{where, model_with(where, {.big = 2, .little = 4, .last = 8}), 1 << 20};
};

TEST(unlike_caches, are_shared_as_each_core_shares_them) {
  big_and_little on;
  EXPECT_EQ(on.read(little_core, 9), 100 * a_ns);
  EXPECT_EQ(on.read(little_neighbour, 9), 2 * a_ns) << "little cores share an L2";
  EXPECT_EQ(on.read(big_core, 9), 4 * a_ns);
  EXPECT_EQ(on.read(last_big_core, 9), 4 * a_ns) << "each big core has its own";
  EXPECT_EQ(on.read(last_big_core, 9), 1 * a_ns);
}

TEST(unlike_caches, have_the_ways_of_each_core) {
  big_and_little on;
  for (const std::uint32_t core : {big_core, little_core})
    for (const std::uint32_t line : {0U, 16U, 32U}) (void)on.read(core, line);
  EXPECT_EQ(on.read(big_core, 0), 2 * a_ns) << "the third line in a row of two";
  EXPECT_EQ(on.read(little_core, 0), 1 * a_ns) << "a row of four";
}

// 16 lines lie in as many rows of all caches of a big core, and in four rows of the little core's L1.
TEST(unlike_caches, lose_runs_of_lines_that_are_longer_than_they) {
  big_and_little on;
  (void)on.touch(little_core, 0, 16, access_kind::read);
  EXPECT_EQ(on.touch(little_core, 0, 16, access_kind::read), 16 * a_ns);
  (void)on.touch(big_core, 0, 16, access_kind::write);
  EXPECT_EQ(on.memory.counts().invalidations, 0U);
  EXPECT_EQ(on.touch(little_core, 0, 16, access_kind::read), 16 * 4 * a_ns);
}

TEST(unlike_caches, of_domains_lose_runs_that_are_longer_than_they) {
  big_and_little on{.shape = {.l3_bytes = {2 << 10, 16 << 10}}};  // the first has four rows of L3
  (void)on.touch(big_core, 0, 16, access_kind::read);
  (void)on.touch(far_big_core, 0, 16, access_kind::write);
  EXPECT_EQ(on.memory.counts().invalidations, 16U);
}

RC_GTEST_PROP(unlike_caches, are_as_if_every_cache_were_looked_through, ()) {
  constexpr std::uint32_t lines = 256;
  const machine where = hybrid_machine(random_hybrid());
  machine_model model = model_with(where, random_ways());
  model.kinds[little_kind].hit_ps = {1'500, 3'000, 7'000};
  memory_hierarchy memory(where, model, lines * model.line_bytes);
  searched_memory expected(where, model, lines + 1);
  for (const auto [core, first, count, kind] : random_touches(where, lines / 4, 300)) {
    const std::uint32_t more = count * 4;  // up to 64 lines, which are a whole run
    const memory_toll got = memory.touch(core_id{core}, first * 3, more, kind);
    const memory_toll wanted = expected.touch(core, first * 3, more, kind);
    RC_ASSERT(got.latency_ps == wanted.latency_ps);
    RC_ASSERT(got.private_misses == wanted.private_misses);
  }
  RC_ASSERT(memory.counts() == expected.counts());
}

}  // namespace
}  // namespace nearfork::sim
