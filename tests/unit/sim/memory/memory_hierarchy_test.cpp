#include "sim/memory/memory_hierarchy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "base/rng.hpp"
#include "searched_memory.hpp"
#include "unit/sim/machine/hand_models.hpp"
#include "unit/sim/memory/random_touches.hpp"

namespace nearfork::sim {
namespace {

constexpr core_id first_core{0};
constexpr core_id neighbour{1};  // behind the same L3
constexpr core_id stranger{2};   // in the other domain
constexpr std::uint64_t ns = 1000;

/// Two domains of two cores: 32 KiB of L1 each (32 rows of 16 lines), 64 KiB of L3 (64 rows of 16 lines).
struct two_domains {
  machine where = machine_of(2, 2, 64 << 10);
  memory_hierarchy memory{where, round_model(where), 1 << 20};

  std::uint64_t read(core_id core, std::uint32_t line) {
    return memory.touch(core, line, 1, access_kind::read).latency_ps;
  }
  std::uint64_t write(core_id core, std::uint32_t line) {
    return memory.touch(core, line, 1, access_kind::write).latency_ps;
  }
};

TEST(memory_hierarchy, answers_from_memory_then_from_the_first_cache) {
  two_domains at;
  EXPECT_EQ(at.read(first_core, 5), 100 * ns);
  EXPECT_EQ(at.read(first_core, 5), 1 * ns);
  const memory_counts counts = at.memory.counts();
  EXPECT_EQ(counts.accesses, 2U);
  EXPECT_EQ(counts.level[0], (level_count{2, 1}));
  EXPECT_EQ(counts.level[1], (level_count{1, 0}));
  EXPECT_EQ(counts.local, 1U);
  EXPECT_EQ(counts.remote, 0U);
}

TEST(memory_hierarchy, shares_the_outermost_cache_within_a_domain) {
  two_domains at;
  EXPECT_EQ(at.read(first_core, 5), 100 * ns);
  EXPECT_EQ(at.read(neighbour, 5), 4 * ns);
  EXPECT_EQ(at.read(neighbour, 5), 1 * ns);
}

TEST(memory_hierarchy, puts_a_page_where_it_is_touched_first) {
  two_domains at;
  EXPECT_EQ(at.read(stranger, 64), 100 * ns) << "page 1";
  EXPECT_EQ(at.read(first_core, 65), 200 * ns) << "the same page";
  EXPECT_EQ(at.read(first_core, 63), 100 * ns) << "page 0";
  EXPECT_EQ(at.memory.counts().local, 2U);
  EXPECT_EQ(at.memory.counts().remote, 1U);
}

TEST(memory_hierarchy, evicts_what_was_used_longest_ago) {
  two_domains at;
  for (std::uint32_t i = 0; i <= 16; ++i) (void)at.read(first_core, 32 * i);  // one row of L1, two rows of L3
  EXPECT_EQ(at.read(first_core, 0), 4 * ns);
  EXPECT_EQ(at.read(first_core, 64), 1 * ns);
}

TEST(memory_hierarchy, takes_out_of_inner_caches_what_leaves_the_outermost) {
  two_domains at;
  (void)at.read(first_core, 0);
  for (std::uint32_t i = 1; i <= 16; ++i) (void)at.read(neighbour, 64 * i);  // all in row 0 of L3
  EXPECT_EQ(at.read(first_core, 0), 100 * ns);
}

TEST(memory_hierarchy, counts_misses_of_private_caches) {
  two_domains at;
  (void)at.read(first_core, 3);
  EXPECT_EQ(at.memory.touch(neighbour, 0, 5, access_kind::read).private_misses, 5U);
  EXPECT_EQ(at.memory.touch(neighbour, 3, 4, access_kind::read).private_misses, 2U);
}

TEST(memory_hierarchy, a_write_takes_the_line_from_the_other_domain) {
  two_domains at;
  (void)at.read(first_core, 9);
  EXPECT_EQ(at.read(stranger, 9), 200 * ns);
  EXPECT_EQ(at.write(first_core, 9), (1 + 50) * ns) << "in L1, but not alone";
  EXPECT_EQ(at.memory.counts().invalidations, 1U);
  EXPECT_EQ(at.write(first_core, 9), 1 * ns);
  EXPECT_EQ(at.read(stranger, 9), 200 * ns) << "its copies are gone";
  EXPECT_EQ(at.memory.counts().writebacks, 1U) << "memory had to be brought up to date first";
  EXPECT_EQ(at.write(stranger, 9), (1 + 50) * ns);
  EXPECT_EQ(at.memory.counts().invalidations, 2U);
}

TEST(memory_hierarchy, a_write_takes_the_line_from_the_caches_of_neighbours) {
  two_domains at;
  (void)at.read(first_core, 9);
  (void)at.read(neighbour, 9);
  EXPECT_EQ(at.write(first_core, 9), 1 * ns) << "nothing leaves the domain";
  EXPECT_EQ(at.read(neighbour, 9), 4 * ns);
  EXPECT_EQ(at.memory.counts().invalidations, 0U);
}

TEST(memory_hierarchy, writes_back_what_was_changed_when_it_is_evicted) {
  two_domains at;
  (void)at.write(first_core, 0);
  for (std::uint32_t i = 1; i <= 15; ++i) (void)at.read(first_core, 64 * i);
  EXPECT_EQ(at.memory.counts().writebacks, 0U);
  EXPECT_EQ(at.read(first_core, 64 * 16), 2 * 100 * ns) << "out goes one line, in comes another";
  EXPECT_EQ(at.memory.counts().writebacks, 1U);
  EXPECT_EQ(at.read(first_core, 64 * 17), 100 * ns);
  EXPECT_EQ(at.memory.counts().writebacks, 1U) << "what was only read is not written";
}

TEST(memory_hierarchy, a_node_serves_one_line_after_the_other) {
  const machine where = machine_of(2, 2, 64 << 10);
  memory_hierarchy memory(where, round_model(where, 10 * ns), 1 << 20);
  (void)memory.touch(first_core, 0, 4, access_kind::read);
  EXPECT_EQ(memory.serve(0), 40 * ns);
  (void)memory.touch(neighbour, 4, 2, access_kind::read);
  EXPECT_EQ(memory.serve(15 * ns), 60 * ns) << "waits for the first four";
  (void)memory.touch(stranger, 64, 3, access_kind::read);
  EXPECT_EQ(memory.serve(15 * ns), 45 * ns) << "another node";
  EXPECT_EQ(memory.serve(15 * ns), 15 * ns) << "nothing was asked for";
  (void)memory.touch(first_core, 6, 1, access_kind::read);
  EXPECT_EQ(memory.serve(100 * ns), 110 * ns) << "free since 60";
}

/// Two packages, each with memory that takes 10 ns a line; the link between the packages takes 30 ns a line.
machine_model linked_model(const machine& where) {
  machine_model made = round_model(where, 10 * ns);
  made.between = {.seats = 2, .seat_of_domain = {0, 1}, .seat_of_node = {0, 1}, .links = {{0, 1, 30 * ns}}};
  return made;
}

TEST(memory_hierarchy, a_link_takes_one_line_after_the_other) {
  const machine where = machine_of(2, 2, 64 << 10);
  memory_hierarchy memory(where, linked_model(where), 1 << 20);
  EXPECT_EQ(memory.touch(first_core, 0, 64, access_kind::read).latency_ps, 64 * 100 * ns);
  EXPECT_EQ(memory.serve(0), 640 * ns) << "local: the node alone";
  EXPECT_EQ(memory.counts().carried, 0U);
  EXPECT_EQ(memory.touch(stranger, 0, 4, access_kind::read).latency_ps, 4 * 200 * ns);
  EXPECT_EQ(memory.serve(1000 * ns), 1120 * ns) << "four over the link; the node would have been done at 1040";
  EXPECT_EQ(memory.counts().carried, 4U);
}

TEST(memory_hierarchy, what_is_written_goes_back_the_other_way) {
  const machine where = machine_of(2, 2, 64 << 10);
  memory_hierarchy memory(where, linked_model(where), 1 << 20);
  (void)memory.touch(first_core, 0, 1, access_kind::read);
  (void)memory.serve(0);
  (void)memory.touch(stranger, 0, 1, access_kind::write);
  EXPECT_EQ(memory.serve(1000 * ns), 1030 * ns) << "to the stranger";
  (void)memory.touch(first_core, 0, 1, access_kind::read);
  EXPECT_EQ(memory.counts().writebacks, 1U);
  EXPECT_EQ(memory.serve(1000 * ns), 1030 * ns) << "nobody else goes that way; the node is busy until 1030, too";
  EXPECT_EQ(memory.counts().carried, 2U);
}

// At a quarter of the clock, hits in L1 take four times as long; hits in L3 and memory take as long as before.
TEST(memory_hierarchy, private_caches_run_at_the_clock_of_their_core) {
  const machine where = machine_of(2, 2, 64 << 10);
  machine_model model = round_model(where);
  model.core_mhz.assign(4, model.kinds[0].mhz);
  model.core_mhz[0] = model.kinds[0].mhz / 4;
  memory_hierarchy memory(where, model, 1 << 20);
  const auto read = [&](core_id core) { return memory.touch(core, 5, 1, access_kind::read).latency_ps; };
  EXPECT_EQ(read(neighbour), 100 * ns);
  EXPECT_EQ(read(first_core), 4 * ns);
  EXPECT_EQ(read(first_core), 4 * 1 * ns);
  EXPECT_EQ(read(neighbour), 1 * ns);
}

// Only what L1 had goes by the core's clock: half of the second sweep.
TEST(memory_hierarchy, tells_what_hits_in_private_caches_took) {
  two_domains at;
  (void)at.memory.touch(first_core, 0, 64, access_kind::read);
  const auto before = at.memory.levels();
  EXPECT_EQ(at.memory.touch(first_core, 32, 64, access_kind::read).latency_ps, 32 * 1 * ns + 32 * 100 * ns);
  EXPECT_EQ(at.memory.private_ps(first_core, access_order::sweep, before), 32 * 1 * ns);
  const auto later = at.memory.levels();
  (void)at.memory.touch(neighbour, 0, 64, access_kind::write);
  EXPECT_EQ(at.memory.private_ps(neighbour, access_order::chain, later), 0U) << "all from L3";
}

// 32 KiB of L1 in two ways: the third line that falls into a row drives out the first. In 16 ways there is room.
TEST(memory_hierarchy, caches_have_the_ways_of_their_level) {
  const machine where = machine_of(2, 2, 64 << 10);
  machine_model model = round_model(where);
  model.kinds[0].associativity = {2, 8, 16};
  memory_hierarchy memory(where, model, 1 << 20);
  const auto read = [&](std::uint32_t line) { return memory.touch(first_core, line, 1, access_kind::read).latency_ps; };
  for (const std::uint32_t line : {0U, 256U, 512U}) EXPECT_EQ(read(line), 100 * ns);
  EXPECT_EQ(read(0), 4 * ns) << "still in L3";
  EXPECT_EQ(read(512), 1 * ns);
}

TEST(memory_hierarchy, refuses_a_model_of_another_machine) {
  const machine where = machine_of(2, 2, 64 << 10);
  const auto refused = [&](auto&& spoil) {
    machine_model model = linked_model(where);
    spoil(model);
    EXPECT_THROW(memory_hierarchy(where, model, 1 << 20), error);
  };
  refused([](machine_model& model) { model.kinds.clear(); });
  refused([](machine_model& model) { model.kinds[0].mhz = 0; });
  refused([](machine_model& model) { model.memory_ps.pop_back(); });
  refused([](machine_model& model) { model.node_line_ps.push_back(1); });
  refused([](machine_model& model) { model.kinds[0].associativity = {0}; });
  refused([](machine_model& model) { model.core_mhz = {1000}; });
  refused([](machine_model& model) { model.between.seat_of_node = {0, 2}; });
  refused([](machine_model& model) { model.between.seat_of_domain = {0}; });
}

TEST(memory_hierarchy, runs_without_any_cache) {
  const machine where = machine_of(2, 1);
  memory_hierarchy memory(where, round_model(where), 1 << 20);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(memory.touch(core_id{0}, 0, 1, access_kind::write).latency_ps, 100 * ns);
  EXPECT_EQ(memory.touch(core_id{0}, 0, 3, access_kind::read).private_misses, 3U);
  EXPECT_EQ(memory.counts().local, 5U);
}

TEST(memory_hierarchy, knows_more_holders_than_a_record_has_bits) {
  const machine where = machine_of(100, 1, 64 << 10);
  memory_hierarchy memory(where, round_model(where), 1 << 20);
  const auto touch = [&](std::uint32_t core, access_kind kind) {
    return memory.touch(core_id{core}, 0, 1, kind).latency_ps;
  };
  EXPECT_EQ(touch(0, access_kind::read), 100 * ns);
  for (std::uint32_t core = 1; core < 100; ++core) EXPECT_EQ(touch(core, access_kind::read), 200 * ns);
  EXPECT_EQ(touch(0, access_kind::write), (1 + 50) * ns);
  EXPECT_EQ(memory.counts().invalidations, 99U);
  for (std::uint32_t core = 1; core < 100; ++core) EXPECT_EQ(touch(core, access_kind::read), 200 * ns);
}

/// Cores 0 and 1 are behind one L2, which comes before the outermost cache.
struct cores_that_share_l2 {
  std::uint64_t touch(std::uint32_t core, access_kind kind) {
    return memory.touch(core_id{core}, 9, 1, kind).latency_ps;
  }
  std::shared_ptr<const machine> where =
      load_machine("package:2 [numa] l3:1(size=8KB) l2:1(size=2KB) l1:2(size=1KB) core:1 pu:1");
  memory_hierarchy memory{*where, round_model(*where), 1 << 20};
};

// A write does not take a line out of a private cache that the writer shares.
TEST(memory_hierarchy, a_write_leaves_the_private_cache_that_the_cores_share) {
  cores_that_share_l2 on;
  EXPECT_EQ(on.touch(0, access_kind::read), 100 * ns);
  EXPECT_EQ(on.touch(1, access_kind::write), 2 * ns) << "from the shared L2";
  EXPECT_EQ(on.touch(0, access_kind::read), 2 * ns) << "out of its L1 alone";
  EXPECT_EQ(on.memory.counts().invalidations, 0U);
}

// The second core also gets a line that it found in the shared L2 into its own L1. A write by the first core removes
// it.
TEST(memory_hierarchy, a_write_reaches_who_found_the_line_in_a_shared_private_cache) {
  cores_that_share_l2 on;
  EXPECT_EQ(on.touch(0, access_kind::read), 100 * ns);
  EXPECT_EQ(on.touch(1, access_kind::read), 2 * ns) << "from the shared L2";
  EXPECT_EQ(on.touch(1, access_kind::read), 1 * ns);
  EXPECT_EQ(on.touch(0, access_kind::write), 1 * ns);
  EXPECT_EQ(on.touch(1, access_kind::read), 2 * ns) << "not what its L1 had before the write";
}

/// So small that every row overflows. Each machine has something that the others lack.
const std::vector<const char*>& small_machines() {
  static const std::vector<const char*> all{
      "package:2 [numa] l3:1(size=6KB) l2:2(size=2KB) l1:1(size=1KB) core:1 pu:1",  // 96 lines of L3: six rows
      "package:2 [numa] l3:1(size=3KB) l2:1(size=2KB) l1:2(size=2KB) core:1 pu:1",  // a private L2 of two cores
      "package:60 [numa] l2:1(size=2KB) l1:1(size=1KB) core:1 pu:1",                // more holders than bits
      "package:2 [numa] l3:1(size=6KB) l1:8(size=1KB) core:1 pu:1",   // more users of a line than a short list has
      "package:50 [numa] l2:1(size=2KB) l1:8(size=1KB) core:1 pu:1",  // and more holders than bits
      "package:3 [numa] l1:2(size=1KB) core:2 pu:1",                  // nothing private
      "package:2 [numa] core:2 pu:1"};
  return all;
}

RC_GTEST_PROP(memory_hierarchy, does_as_if_every_cache_were_looked_through, ()) {
  constexpr std::uint32_t lines = 256;
  const auto where = load_machine(*rc::gen::elementOf(small_machines()));
  machine_model model = round_model(*where);
  model.kinds[0].associativity = {
      *rc::gen::element(16U, 4U, 2U)};  // with few ways caches have many rows: runs are long
  const std::size_t room_for_sets = *rc::gen::element(line_users::usual_set_bytes, std::size_t{64}, std::size_t{0});
  memory_hierarchy memory(*where, model, lines * model.line_bytes, room_for_sets);
  searched_memory expected(*where, model, lines + 1);
  for (const auto [core, first, count, kind] : random_touches(*where, lines, 200)) {
    const memory_toll got = memory.touch(core_id{core}, first, count, kind);
    const memory_toll wanted = expected.touch(core, first, count, kind);
    RC_ASSERT(got.latency_ps == wanted.latency_ps);
    RC_ASSERT(got.private_misses == wanted.private_misses);
  }
  RC_ASSERT(memory.counts() == expected.counts());
}

// The simulator keeps the lines of many large caches in another form, and asks the host ahead. A last level that is
// larger than needed shows nothing else.
void does_the_same_where_caches_are_larger(std::uint32_t ways) {
  constexpr std::uint32_t lines = 512;
  const auto small = load_machine("package:2 [numa] l3:1(size=1MB) l2:2(size=2KB) l1:1(size=1KB) core:1 pu:1");
  const auto large = load_machine("package:2 [numa] l3:1(size=256MB) l2:2(size=2KB) l1:1(size=1KB) core:1 pu:1");
  machine_model model = round_model(*small);
  model.kinds[0].associativity = {ways};
  memory_hierarchy one(*small, model, lines * model.line_bytes);
  memory_hierarchy other(*large, model, lines * model.line_bytes);
  ASSERT_FALSE(one.prefetches());
  ASSERT_TRUE(other.prefetches());
  rng random(5);
  for (int i = 0; i < 20'000; ++i) {
    const core_id core{random.below(4)};
    const std::uint32_t count = 1 + random.below(16);
    const std::uint32_t first = random.below(lines - count);
    const access_kind kind = random.below(3) == 0 ? access_kind::write : access_kind::read;
    other.prefetch(core, first, count, kind);
    const memory_toll wanted = one.touch(core, first, count, kind);
    const memory_toll got = other.touch(core, first, count, kind);
    ASSERT_EQ(got.latency_ps, wanted.latency_ps) << i;
    ASSERT_EQ(got.private_misses, wanted.private_misses) << i;
  }
  EXPECT_EQ(one.counts(), other.counts());
}

TEST(memory_hierarchy, does_the_same_where_caches_are_larger_than_the_hosts) {
  does_the_same_where_caches_are_larger(16);
  does_the_same_where_caches_are_larger(2);  // in runs
}

TEST(memory_hierarchy, says_what_is_too_large) {
  const machine where = machine_of(1, 1);
  EXPECT_THROW(memory_hierarchy(where, default_model(where), std::uint64_t{1} << 40), error);
}

}  // namespace
}  // namespace nearfork::sim
