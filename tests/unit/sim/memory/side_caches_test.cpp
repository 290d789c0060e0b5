// Memory-side caches by themselves, against a map, and as what memory accesses pass.
#include "sim/memory/side_caches.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "sim/memory/memory_hierarchy.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t ps_of_ns = 1000;
constexpr core_id near_core{0};
constexpr core_id far_core{2};  // in the other domain

/// What is at each place of each node's cache, and whether it was written.
struct mapped_side_caches {
  struct content {
    std::uint32_t line;
    bool changed;
  };
  side_caches::outcome touch(std::uint32_t node, std::uint32_t line, bool writes) {
    const std::uint32_t page = line / lines_of_page;
    const auto first_use = frames.emplace(page, static_cast<std::uint32_t>(frames_of_node[node].size())).second;
    if (first_use) frames_of_node[node].push_back(page);
    const std::uint32_t place = (frames[page] * lines_of_page + line % lines_of_page) % sizes[node];
    const auto known = contents[node].find(place);
    const bool hit = known != contents[node].end() && known->second.line == line;
    const bool drove_out = known != contents[node].end() && !hit && known->second.changed;
    contents[node][place] = {line, writes || (hit && known->second.changed)};
    return {hit, drove_out};
  }
  std::uint32_t lines_of_page;
  std::vector<std::uint32_t> sizes;
  std::map<std::uint32_t, std::uint32_t> frames{};
  std::map<std::uint32_t, std::vector<std::uint32_t>> frames_of_node{};
  std::map<std::uint32_t, std::map<std::uint32_t, content>> contents{};
};

RC_GTEST_PROP(side_caches, do_what_a_map_does, ()) {
  constexpr std::uint32_t pages = 16;
  const auto size = *rc::gen::elementOf(std::vector<std::uint32_t>{1, 3, 8, 20, 1000});
  side_caches caches({size, 8}, pages, 4);
  mapped_side_caches expected{4, {size, 8}};
  for (const auto choice : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 2 * pages * 4))) {
    const std::uint32_t line = choice / 2;
    const std::uint32_t node = line / 4 % 3 == 0 ? 1 : 0;  // each page is on one node
    const side_caches::outcome got = caches.touch(node, line, choice % 2 == 1 ? access_kind::write : access_kind::read);
    const side_caches::outcome wanted = expected.touch(node, line, choice % 2 == 1);
    RC_ASSERT(got.hit == wanted.hit);
    RC_ASSERT(got.drove_out_changed == wanted.drove_out_changed);
  }
}

TEST(side_caches, a_page_that_moves_is_new_to_the_other_nodes_cache) {
  side_caches caches({8, 8}, 4, 4);
  EXPECT_FALSE(caches.touch(0, 0, access_kind::read).hit);
  EXPECT_TRUE(caches.touch(0, 0, access_kind::read).hit);
  EXPECT_FALSE(caches.touch(1, 0, access_kind::read).hit);
  EXPECT_TRUE(caches.touch(1, 0, access_kind::read).hit);
}

/// Two domains of two cores with 1024 lines of L3 each. Both nodes have a memory-side cache of 2048 lines: a line that
/// it has takes 60 ns, from the other domain 130. Memory takes 10 ns a line and that cache 2.
machine_model side_model(const machine& where) {
  machine_model made = round_model(where, 10 * ps_of_ns);
  made.side_caches.assign(2, {.size_bytes = 2048 * 64, .line_ps = 2 * ps_of_ns});
  made.side_ps = {60 * ps_of_ns, 130 * ps_of_ns, 130 * ps_of_ns, 60 * ps_of_ns};
  return made;
}

struct side_domains {
  std::uint64_t read(core_id core, std::uint32_t line) {
    return memory.touch(core, line, 1, access_kind::read).latency_ps;
  }
  std::uint64_t sweep(std::uint32_t first, std::uint32_t lines, access_kind kind = access_kind::read) {
    return memory.touch(near_core, first, lines, kind).latency_ps;
  }
  machine where = machine_of(2, 2, 64 << 10);
  memory_hierarchy memory{where, side_model(where), 1 << 20};
};

TEST(memory_hierarchy, a_line_comes_from_both_memories_and_then_from_the_side_cache) {
  side_domains at;
  EXPECT_EQ(at.read(near_core, 5), (60 + 100) * ps_of_ns);
  EXPECT_EQ(at.memory.serve(0), 10 * ps_of_ns) << "memory; its cache is done at 4";
  EXPECT_EQ(at.read(far_core, 5), 130 * ps_of_ns) << "in no cache of that domain";
  EXPECT_EQ(at.memory.serve(100 * ps_of_ns), 102 * ps_of_ns);
  EXPECT_EQ(at.memory.counts().side_hits, 1U);
  EXPECT_EQ(at.memory.counts().side_misses, 1U);
  EXPECT_EQ(at.memory.served_lines(), (std::vector<std::uint64_t>{1, 0})) << "memory's own";
}

// 2048 lines fit the side cache but not L3. Sweeps after the first one find all lines there.
TEST(memory_hierarchy, sweeps_that_fit_the_side_cache_find_it_warm) {
  side_domains at;
  EXPECT_EQ(at.sweep(0, 2048), 2048 * (60 + 100) * ps_of_ns);
  (void)at.memory.serve(0);
  EXPECT_EQ(at.sweep(0, 2048), 2048 * 60 * ps_of_ns);
  EXPECT_EQ(at.memory.serve(1'000'000 * ps_of_ns), (1'000'000 + 2 * 2048) * ps_of_ns);
  EXPECT_EQ(at.memory.served_lines()[0], 2048U);
}

// Twice as many lines: each takes the place of the one that is needed next.
TEST(memory_hierarchy, sweeps_beyond_the_side_cache_miss_it) {
  side_domains at;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(at.sweep(0, 4096), 4096 * (60 + 100) * ps_of_ns);
  EXPECT_EQ(at.memory.counts().side_hits, 0U);
}

// 4096 lines are written: 1024 stay in L3, 3072 go back, each to its place. From the 2049th line on they drive out
// lines that are newer than memory.
TEST(memory_hierarchy, changed_lines_that_lose_their_place_use_memory_and_what_goes_back_uses_the_side_cache) {
  side_domains at;
  (void)at.sweep(0, 4096, access_kind::write);
  EXPECT_EQ(at.memory.counts().writebacks, 3072U);
  const memory_counts seen = at.memory.counts();
  EXPECT_EQ(seen.side_hits + seen.side_misses, 4096U + 3072);
  // Lines 0 to 1023 go back while 1024 to 2047 are read, and are found; 1024 to 2047 while 2048 to 3071 are read, which
  // take the changed places of 0 to 1023; 2048 to 3071 while the last are read, which take those of 1024 to 2047.
  EXPECT_EQ(seen.side_hits, 3072U);
  (void)at.memory.serve(0);
  EXPECT_EQ(at.memory.served_lines()[0], 4096U + 2048);
}

TEST(memory_hierarchy, a_node_may_have_no_side_cache) {
  const machine where = machine_of(2, 2, 64 << 10);
  machine_model model = side_model(where);
  model.side_caches[1] = {};
  memory_hierarchy memory(where, model, 1 << 20);
  EXPECT_EQ(memory.touch(far_core, 0, 1, access_kind::read).latency_ps, 100 * ps_of_ns);
  EXPECT_EQ(memory.touch(near_core, 64, 1, access_kind::read).latency_ps, (60 + 100) * ps_of_ns);
  model.side_caches.pop_back();
  EXPECT_THROW(memory_hierarchy(where, model, 1 << 20), error);
}

}  // namespace
}  // namespace nearfork::sim
