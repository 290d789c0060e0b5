// Sweeps and chains: what a core's accesses cost one by one, beside the tables that Drebes et al. measured.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "machine/described/named_machines.hpp"
#include "sim/engine/own_work.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t line_bytes = 64;

/// The time of one worker on the first core that touches each of `lines` lines on `node` once.
std::uint64_t simulated_ps(const machine& where, const machine_model& model, std::uint32_t node, std::uint64_t lines,
                           access_kind kind, access_order order) {
  const std::uint64_t bytes = lines * line_bytes;
  const std::vector<worker_place> first = place_workers(where, 1);
  own_work work(where, model, bytes, first);
  const std::vector<std::uint32_t> nodes{node};
  work.place({0, bytes}, page_rule::interleaved, nodes);
  work.begin_iteration(1, {});
  const std::vector<data_access> all{{0, bytes, kind, order}};
  work.begin(0, tree_root, {.compute_ns = 0, .accesses = all});
  std::uint64_t now_ps = 0;
  while (!work.is_over(0)) now_ps = work.run_slice(0, now_ps);
  return now_ps;
}

TEST(access_orders, accesses_of_a_chain_wait_for_each_other) {
  const machine where = machine_of(1, 1);
  machine_model model = round_model(where);
  model.kinds[0].memory_level_parallelism = 10;
  model.kinds[0].scattered_parallelism = 4;
  const auto took_ns = [&](access_order order) {
    return simulated_ps(where, model, 0, 1000, access_kind::read, order) / 1000;
  };
  EXPECT_EQ(took_ns(access_order::chain), 100'000U);
  EXPECT_EQ(took_ns(access_order::sweep), 10'000U);
  EXPECT_EQ(took_ns(access_order::scattered), 25'000U) << "four at once, without a prefetcher";
}

TEST(access_orders, writes_have_latencies_of_their_own_if_the_model_has) {
  const machine where = machine_of(1, 1, 64 << 10);
  machine_model model = round_model(where);
  constexpr std::uint64_t lines = 1 << 20;  // far more than the caches hold: each but the first writes another back
  const auto took_ns = [&] {
    const std::uint64_t took_ps = simulated_ps(where, model, 0, lines, access_kind::write, access_order::chain);
    return static_cast<double>(took_ps) / static_cast<double>(lines) / 1000;
  };
  EXPECT_NEAR(took_ns(), 200, 10);
  model.write_ps = {130'000};
  EXPECT_NEAR(took_ns(), 130, 1);
}

/// Tables 1 and 2 of Drebes et al.: milliseconds for 2^24 lines, by what lies between core and memory.
struct measured_access {
  const char* machine;
  std::uint32_t node;  // from cores of node 0
  double read_ms;
  double write_ms;
};
constexpr measured_access tables[] = {{"opteron-6282", 0, 1288.5, 2256.9},   // local
                                      {"opteron-6282", 1, 2328.4, 2717.6},   // the other die of the package
                                      {"opteron-6282", 2, 2781.4, 3934.6},   // another package, one hop
                                      {"opteron-6282", 3, 5601.6, 5601.3},   // two hops
                                      {"sgi-uv2000", 0, 934.82, 1307.4},     // local
                                      {"sgi-uv2000", 1, 4563.1, 5282.38},    // one hop
                                      {"sgi-uv2000", 2, 5820.48, 6473.38},   // two hops
                                      {"sgi-uv2000", 6, 6991.24, 7673.14}};  // three hops

class drebes_tables : public testing::TestWithParam<measured_access> {};

TEST_P(drebes_tables, come_out_within_a_twentieth) {
  const auto where = named_machine(GetParam().machine, NEARFORK_SOURCE_DIR "/machines");
  const machine_model model = model_of(*where);
  constexpr std::uint64_t lines = 1 << 18;
  constexpr double as_many_as_measured = 64;
  const auto took_ms = [&](access_kind kind) {
    return static_cast<double>(simulated_ps(*where, model, GetParam().node, lines, kind, access_order::chain)) / 1e9 *
           as_many_as_measured;
  };
  EXPECT_NEAR(took_ms(access_kind::read), GetParam().read_ms, GetParam().read_ms / 20);
  EXPECT_NEAR(took_ms(access_kind::write), GetParam().write_ms, GetParam().write_ms / 20);
}

INSTANTIATE_TEST_SUITE_P(of, drebes_tables, testing::ValuesIn(tables), [](const auto& given) {
  std::string name = std::string(given.param.machine) + "_node_" + std::to_string(given.param.node);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace nearfork::sim
