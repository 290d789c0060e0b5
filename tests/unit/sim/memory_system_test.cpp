#include "sim/memory_system.hpp"

#include <gtest/gtest.h>

#include <nearfork/error.hpp>

#include "hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr core_id first_core{0};
constexpr core_id neighbour{1};  // behind the same L3
constexpr core_id stranger{2};   // in the other domain
constexpr std::uint64_t ns = 1000;

/// Two domains of two cores: 32 KiB of L1 each (32 rows of 16 lines), 64 KiB of L3 (64 rows of 16 lines).
struct two_domains {
  machine where = machine_of(2, 2, 64 << 10);
  memory_system memory{where, round_model(where), 1 << 20};

  std::uint64_t read(core_id core, std::uint32_t line) {
    return memory.touch(core, line, 1, access_kind::read).latency_ps;
  }
  std::uint64_t write(core_id core, std::uint32_t line) {
    return memory.touch(core, line, 1, access_kind::write).latency_ps;
  }
};

TEST(memory_system, answers_from_memory_then_from_the_first_cache) {
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

TEST(memory_system, shares_the_outermost_cache_within_a_domain) {
  two_domains at;
  EXPECT_EQ(at.read(first_core, 5), 100 * ns);
  EXPECT_EQ(at.read(neighbour, 5), 4 * ns);
  EXPECT_EQ(at.read(neighbour, 5), 1 * ns);
}

TEST(memory_system, puts_a_page_where_it_is_touched_first) {
  two_domains at;
  EXPECT_EQ(at.read(stranger, 64), 100 * ns) << "page 1";
  EXPECT_EQ(at.read(first_core, 65), 200 * ns) << "the same page";
  EXPECT_EQ(at.read(first_core, 63), 100 * ns) << "page 0";
  EXPECT_EQ(at.memory.counts().local, 2U);
  EXPECT_EQ(at.memory.counts().remote, 1U);
}

TEST(memory_system, evicts_what_was_used_longest_ago) {
  two_domains at;
  for (std::uint32_t i = 0; i <= 16; ++i) (void)at.read(first_core, 32 * i);  // one row of L1, two rows of L3
  EXPECT_EQ(at.read(first_core, 0), 4 * ns);
  EXPECT_EQ(at.read(first_core, 64), 1 * ns);
}

TEST(memory_system, takes_out_of_inner_caches_what_leaves_the_outermost) {
  two_domains at;
  (void)at.read(first_core, 0);
  for (std::uint32_t i = 1; i <= 16; ++i) (void)at.read(neighbour, 64 * i);  // all in row 0 of L3
  EXPECT_EQ(at.read(first_core, 0), 100 * ns);
}

TEST(memory_system, counts_misses_of_private_caches) {
  two_domains at;
  (void)at.read(first_core, 3);
  EXPECT_EQ(at.memory.touch(neighbour, 0, 5, access_kind::read).private_misses, 5U);
  EXPECT_EQ(at.memory.touch(neighbour, 3, 4, access_kind::read).private_misses, 2U);
}

TEST(memory_system, a_write_takes_the_line_from_the_other_domain) {
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

TEST(memory_system, a_write_takes_the_line_from_the_caches_of_neighbours) {
  two_domains at;
  (void)at.read(first_core, 9);
  (void)at.read(neighbour, 9);
  EXPECT_EQ(at.write(first_core, 9), 1 * ns) << "nothing leaves the domain";
  EXPECT_EQ(at.read(neighbour, 9), 4 * ns);
  EXPECT_EQ(at.memory.counts().invalidations, 0U);
}

TEST(memory_system, writes_back_what_was_changed_when_it_is_evicted) {
  two_domains at;
  (void)at.write(first_core, 0);
  for (std::uint32_t i = 1; i <= 15; ++i) (void)at.read(first_core, 64 * i);
  EXPECT_EQ(at.memory.counts().writebacks, 0U);
  (void)at.read(first_core, 64 * 16);
  EXPECT_EQ(at.memory.counts().writebacks, 1U);
  (void)at.read(first_core, 64 * 17);
  EXPECT_EQ(at.memory.counts().writebacks, 1U) << "what was only read is not written";
}

TEST(memory_system, a_node_serves_one_line_after_the_other) {
  const machine where = machine_of(2, 2, 64 << 10);
  memory_system memory(where, round_model(where, 10 * ns), 1 << 20);
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

TEST(memory_system, runs_without_any_cache) {
  const machine where = machine_of(2, 1);
  memory_system memory(where, round_model(where), 1 << 20);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(memory.touch(core_id{0}, 0, 1, access_kind::write).latency_ps, 100 * ns);
  EXPECT_EQ(memory.touch(core_id{0}, 0, 3, access_kind::read).private_misses, 3U);
  EXPECT_EQ(memory.counts().local, 5U);
}

TEST(memory_system, knows_more_holders_than_a_record_has_bits) {
  const machine where = machine_of(100, 1, 64 << 10);
  memory_system memory(where, round_model(where), 1 << 20);
  const auto touch = [&](std::uint32_t core, access_kind kind) {
    return memory.touch(core_id{core}, 0, 1, kind).latency_ps;
  };
  EXPECT_EQ(touch(0, access_kind::read), 100 * ns);
  for (std::uint32_t core = 1; core < 100; ++core) EXPECT_EQ(touch(core, access_kind::read), 200 * ns);
  EXPECT_EQ(touch(0, access_kind::write), (1 + 50) * ns);
  EXPECT_EQ(memory.counts().invalidations, 99U);
  for (std::uint32_t core = 1; core < 100; ++core) EXPECT_EQ(touch(core, access_kind::read), 200 * ns);
}

TEST(memory_system, says_what_is_too_large) {
  const machine where = machine_of(1, 1);
  EXPECT_THROW(memory_system(where, default_model(where), std::uint64_t{1} << 40), error);
}

}  // namespace
}  // namespace nearfork::sim
