// Lines that are looked up together end up as lines that are looked up one by one, whatever lies behind the caches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <nearfork/config.hpp>

#include "machine/model/machine.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "unit/sim/machine/hand_models.hpp"
#include "unit/sim/machine/hybrid_machines.hpp"
#include "unit/sim/memory/random_hybrids.hpp"
#include "unit/sim/memory/random_touches.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint32_t run_data_lines = 512;
constexpr std::uint64_t ps_a_ns = 1000;

/// Of few ways, so that caches have many rows and runs are long; not all numbers of rows are powers of two.
const std::vector<const char*>& machines_of_many_rows() {
  static const std::vector<const char*> all{
      "package:2 [numa] l3:1(size=12KB) l2:2(size=4KB) l1:1(size=2KB) core:1 pu:1",
      "package:2 [numa] l3:1(size=18KB) l2:2(size=6KB) l1:1(size=3KB) core:1 pu:1",  // 24, 48 and 144 rows of two
      "package:2 [numa] l3:1(size=8KB) l2:2(size=4KB) l1:2(size=2KB) core:1 pu:1",
      "package:2 [numa] l2:4(size=4KB) core:1 pu:1",                  // nothing private
      "package:2 [numa] l3:1(size=6KB) l1:8(size=1KB) core:1 pu:1"};  // more users of a line than are listed
  return all;
}

/// Nodes and a link that take time for each line; perhaps memory-side caches; large caches are in narrow rows.
machine_model busy_model(const machine& where, bool has_side_caches) {
  machine_model made = round_model(where, 10 * ps_a_ns);
  for (core_model& kind : made.kinds) kind.associativity = {2};
  made.between = {.seats = 2, .seat_of_domain = {}, .seat_of_node = {0, 1}, .links = {{0, 1, 30 * ps_a_ns}}};
  const auto domains = static_cast<std::uint32_t>(where.domains().size());
  for (std::uint32_t d = 0; d < domains; ++d) made.between.seat_of_domain.push_back(d * 2 / domains);
  made.page_bytes = 8 * made.line_bytes;
  if (!has_side_caches) return made;
  made.side_caches.assign(2, {.size_bytes = 64 * made.line_bytes, .line_ps = 2 * ps_a_ns});
  for (const std::uint64_t memory_ps : made.memory_ps) made.side_ps.push_back(memory_ps - 40 * ps_a_ns);
  return made;
}

memory_toll one_by_one(memory_hierarchy& memory, const random_touch& touch) {
  memory_toll sum;
  for (std::uint32_t i = 0; i < touch.count; ++i)
    sum += memory.touch(core_id{touch.core}, touch.first + i, 1, touch.kind);
  return sum;
}

std::vector<std::uint16_t> nodes_of_pages(const memory_hierarchy& memory) {
  std::vector<std::uint16_t> nodes;
  for (std::uint64_t page = 0; page < memory.pages().size(); ++page) nodes.push_back(memory.pages().node_of(page));
  return nodes;
}

void end_as_lines_one_by_one(const machine& where, const machine_model& model) {
  memory_hierarchy together(where, model, run_data_lines * model.line_bytes);
  memory_hierarchy apart(where, model, run_data_lines * model.line_bytes);
  together.heat().begin(together.pages().size());
  apart.heat().begin(apart.pages().size());
  for (random_touch touch : random_touches(where, run_data_lines / 4, 300)) {
    touch.first = touch.first * 3 % (run_data_lines / 2);
    touch.count *= 8;  // up to 128 lines, which are several runs
    const memory_toll got = together.touch(core_id{touch.core}, touch.first, touch.count, touch.kind);
    const memory_toll wanted = one_by_one(apart, touch);
    RC_ASSERT(got.latency_ps == wanted.latency_ps);
    RC_ASSERT(got.private_misses == wanted.private_misses);
    RC_ASSERT(together.serve(0) == apart.serve(0));
  }
  RC_ASSERT(together.counts() == apart.counts());
  RC_ASSERT(together.served_lines() == apart.served_lines());
  RC_ASSERT(nodes_of_pages(together) == nodes_of_pages(apart));
  const std::vector<followed_array> all{{.first_page = 0, .pages = together.pages().size()}};
  RC_ASSERT(together.heat().gauged(all, together.pages()) == apart.heat().gauged(all, apart.pages()));
}

RC_GTEST_PROP(line_runs, end_as_lines_one_by_one, ()) {
  const auto where = load_machine(*rc::gen::elementOf(machines_of_many_rows()));
  end_as_lines_one_by_one(*where, busy_model(*where, *rc::gen::arbitrary<bool>()));
}

RC_GTEST_PROP(line_runs, end_as_lines_one_by_one_where_cores_have_unlike_caches, ()) {
  const machine where = hybrid_machine(random_hybrid());
  machine_model model = busy_model(where, *rc::gen::arbitrary<bool>());
  give_ways(model, random_ways());
  end_as_lines_one_by_one(where, model);
}

}  // namespace
}  // namespace nearfork::sim
