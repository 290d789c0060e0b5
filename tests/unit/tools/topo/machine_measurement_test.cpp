// What is measured on each machine, tested against hardware that answers by rule.
#include "tools/topo/machine_measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "machine/described/named_machines.hpp"
#include "sim/machine/model_reader.hpp"

namespace nearfork::tools {
namespace {

using testing::HasSubstr;

/// 1 ns up to 32 KiB, 4 ns up to 1 MiB, 20 ns up to 16 MiB; memory 100 ns on node 0 and 30 ns more on each node after
/// it. Sweeps cost 0.5 ns for each line up to 1 MiB, then `beyond_ns`, and 8 ns from memory.
class ruled_hardware final : public measured_hardware {
 public:
  bool binds = true;
  double beyond_ns = 1;
  /// The pages of every second walk lie badly: it takes twice as long.
  bool disturbed = false;
  int walks = 0;

  /// How many instructions of the second chain the core executes in one cycle.
  double folds = 1;

  clock_readings clocks(os_index) override {
    return {.chains = {{"multiplying", 2.5}, {"adding", 2.5 * folds}, {"rotating", 2.5}}, .kernel_ghz = 2.1};
  }
  reading load_ns(os_index, memory_of where) override {
    if (where.node && !binds) return {std::nullopt, "Operation not permitted (errno 1)"};
    const double ns = where.bytes <= (32 << 10)   ? 1
                      : where.bytes <= (1 << 20)  ? 4
                      : where.bytes <= (16 << 20) ? 20
                                                  : 100 + 30 * (where.node ? number_of(*where.node) : 0);
    return {disturbed && walks++ % 2 == 0 ? 2 * ns : ns, {}};
  }
  reading scattered_ns(os_index pu, memory_of where) override { return {*load_ns(pu, where).value / 25, {}}; }
  reading operations_per_ns(os_index, std::uint64_t, loop_kind of) override {
    return {of == loop_kind::vector ? 15 : 5, {}};
  }
  reading wrong_guess_ns(os_index) override { return {7, {}}; }
  reading sweep_ns(os_index, memory_of where) override {
    return {where.bytes <= (1 << 20) ? 0.5 : where.bytes <= (16 << 20) ? beyond_ns : 8, {}};
  }
  reading read_gb_per_s(std::span<const os_index> pus, memory_of where) override {
    return {static_cast<double>(pus.size()) * (where.node && number_of(*where.node) != 0 ? 2 : 5), {}};
  }
  reading handover_ns(os_index, os_index other) override { return {40 + number_of(other), {}}; }
};

const machine& two_packages() {
  static const auto made =
      load_machine("package:2 [numa(memory=1GiB)] l3:1(size=16MB) l2:4(size=512KB) l1:1(size=32KB) core:1 pu:1");
  return *made;
}

machine_measurement measured_by(ruled_hardware& hardware, const machine& where) {
  return measure(where, hardware, [](std::size_t, std::size_t, const std::string&) {});
}

TEST(machine_measurement, walks_through_part_of_each_cache_and_far_more_than_all) {
  ruled_hardware hardware;
  const machine_measurement seen = measured_by(hardware, two_packages());
  ASSERT_EQ(seen.kinds.size(), 1U);
  ASSERT_EQ(seen.kinds[0].levels.size(), 3U);
  EXPECT_EQ(seen.kinds[0].levels[0].hit_ns.value, 1);
  EXPECT_EQ(seen.kinds[0].levels[1].hit_ns.value, 4);
  EXPECT_EQ(seen.kinds[0].levels[2].hit_ns.value, 20);
  EXPECT_EQ(seen.kinds[0].misses_at_once.value, 20) << "a line and a half in 7.5 ns, and 100 ns for each";
  EXPECT_EQ(seen.kinds[0].scattered_at_once.value, 25);
  EXPECT_EQ(seen.memory_bytes, std::uint64_t{64} << 20);
  ASSERT_EQ(seen.pairs.size(), 4U);
  EXPECT_EQ(seen.pairs[1].latency_ns.value, 130);
  EXPECT_EQ(seen.pairs[0].read_gb_per_s.value, 20) << "by four cores";
  ASSERT_EQ(seen.handovers.size(), 2U) << "no two PUs meet at a core, at a node or at a package";
  EXPECT_EQ(seen.handovers[1].distance, steal_distance::machine);
}

TEST(machine_measurement, is_of_walks_through_pages_that_lie_well) {
  ruled_hardware hardware;
  hardware.disturbed = true;
  const machine_measurement seen = measured_by(hardware, two_packages());
  EXPECT_EQ(seen.kinds[0].levels[0].hit_ns.value, 1);
  EXPECT_EQ(seen.kinds[0].levels[1].hit_ns.value, 4);
  EXPECT_EQ(seen.kinds[0].levels[2].hit_ns.value, 20);
  EXPECT_EQ(seen.pairs[1].latency_ns.value, 130);
}

TEST(machine_measurement, announces_every_reading_before_it_is_taken) {
  ruled_hardware hardware;
  std::vector<std::size_t> told;
  (void)measure(two_packages(), hardware, [&](std::size_t done, std::size_t all, const std::string& next) {
    EXPECT_EQ(all, readings_of(two_packages()));
    EXPECT_FALSE(next.empty());
    told.push_back(done);
  });
  ASSERT_EQ(told.size(), readings_of(two_packages()));
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i);
}

TEST(machine_measurement, writes_a_model_that_the_simulator_takes) {
  ruled_hardware hardware;
  const std::string text = model_text_of(two_packages(), measured_by(hardware, two_packages()));
  const sim::machine_model made = sim::load_model(two_packages(), text);
  EXPECT_EQ(made.kinds[0].mhz, 2500U);
  EXPECT_EQ(made.kinds[0].work_per_cycle, 2);
  EXPECT_EQ(made.kinds[0].vector_work, 3);
  EXPECT_EQ(made.kinds[0].wrong_guess_ps, 7'000U);
  EXPECT_EQ(made.kinds[0].memory_level_parallelism, 20);
  EXPECT_EQ(made.kinds[0].scattered_parallelism, 25);
  EXPECT_EQ(made.kinds[0].hit_ps, (std::vector<std::uint64_t>{1'000, 4'000, 20'000}));
  EXPECT_EQ(made.memory_ps, (std::vector<std::uint64_t>{100'000, 130'000, 100'000, 130'000}));
  EXPECT_EQ(made.node_line_ps, (std::vector<std::uint64_t>{3'200, 8'000}));
  ASSERT_EQ(made.between.links.size(), 1U);
  EXPECT_EQ(made.between.links[0].line_ps, 8'000U) << "the slower of the two remote pairs: 8 GB/s";
}

TEST(machine_measurement, a_cache_whose_sweeps_cost_more_than_its_latency_says_so) {
  ruled_hardware hardware;
  hardware.beyond_ns = 2.5;
  const sim::machine_model made =
      sim::load_model(two_packages(), model_text_of(two_packages(), measured_by(hardware, two_packages())));
  EXPECT_EQ(made.kinds[0].hit_ps, (std::vector<std::uint64_t>{1'000, 4'000, 40'000})) << "2 ns more, 20 at once";
}

/// All known machines: no cache, cores without memory, memory without cores, several kinds.
TEST(machine_measurement, writes_a_model_of_any_machine) {
  ruled_hardware hardware;
  for (const std::string& name : machine_names()) {
    const auto where = load_machine(name);
    EXPECT_NO_THROW((void)sim::load_model(*where, model_text_of(*where, measured_by(hardware, *where)))) << name;
  }
  for (const char* const odd :
       {"pu:1", "package:2 core:2 pu:2", "[numa] package:2 [numa] core:2 pu:1", "package:3 l2:2 core:2 pu:1"}) {
    const auto where = load_machine(odd);
    EXPECT_NO_THROW((void)sim::load_model(*where, model_text_of(*where, measured_by(hardware, *where)))) << odd;
  }
}

TEST(machine_measurement, walks_through_the_caches_that_each_kind_of_cores_has) {
  ruled_hardware hardware;
  const machine_measurement seen = measured_by(hardware, *load_machine("alder-lake"));
  ASSERT_EQ(seen.kinds.size(), 2U);
  const auto& little = seen.kinds[0].levels;
  const auto& big = seen.kinds[1].levels;
  EXPECT_EQ(little[0].bytes, 16U << 10);
  EXPECT_EQ(big[0].bytes, 24U << 10);
  EXPECT_EQ(little[1].bytes, 256U << 10) << "four little cores share 2 MiB";
  EXPECT_EQ(big[1].bytes, 640U << 10);
}

TEST(machine_measurement, says_what_could_not_be_measured) {
  ruled_hardware hardware;
  hardware.binds = false;
  const machine_measurement seen = measured_by(hardware, two_packages());
  EXPECT_THAT(table_of(two_packages(), seen), HasSubstr("not measured: Operation not permitted"));
  EXPECT_THAT(json_of(two_packages(), seen).dump(), HasSubstr("not_measured"));
  try {
    (void)model_text_of(two_packages(), seen);
    FAIL() << "a model without the latency of memory";
  } catch (const error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("latency of all memory"));
  }
}

/// Cores from Golden Cove on fold chained additions of constants.
TEST(machine_measurement, refuses_the_clock_of_a_core_that_folds_a_chain) {
  ruled_hardware hardware;
  hardware.folds = 2;
  const machine_measurement seen = measured_by(hardware, two_packages());
  EXPECT_FALSE(seen.kinds[0].clock_ghz.value);
  EXPECT_EQ(json_of(two_packages(), seen).at("core_kinds").at(0).at("clock_ghz_by").at("adding"), 5);
  EXPECT_THAT(table_of(two_packages(), seen),
              HasSubstr("not measured: the methods differ by more than a factor of 1.5"));
  try {
    (void)model_text_of(two_packages(), seen);
    FAIL() << "a model with a clock that two methods do not agree on";
  } catch (const error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("needs the clock of cores"));
    EXPECT_THAT(refused.what(), HasSubstr("5.00 GHz by adding"));
  }
}

TEST(machine_measurement, measures_this_machine) {
  const auto here = live_machine();
  const auto hardware = live_hardware(0.002);
  const os_index pu = here->pus().front().os;
  const clock_readings clocks = hardware->clocks(pu);
  EXPECT_GE(clocks.chains.size(), 2U) << clocks.why;
  for (const chain_reading& one : clocks.chains) EXPECT_GT(one.ghz, 0.0) << one.instruction;
  const reading near = hardware->load_ns(pu, {.bytes = 16 << 10});
  ASSERT_TRUE(near.value) << near.why;
  EXPECT_GT(*near.value, 0.0);
  const reading far = hardware->load_ns(pu, {.bytes = 4 << 20});
  EXPECT_TRUE(far.value) << far.why;
  const reading swept = hardware->read_gb_per_s(std::vector<os_index>{pu}, {.bytes = 1 << 20});
  ASSERT_TRUE(swept.value) << swept.why;
  EXPECT_GT(*swept.value, 0.0);
  for (const loop_kind of : {loop_kind::scalar, loop_kind::vector}) {
    const reading computed = hardware->operations_per_ns(pu, 128 << 10, of);
    ASSERT_TRUE(computed.value) << computed.why;
    EXPECT_GT(*computed.value, 0.0);
  }
  const reading line = hardware->sweep_ns(pu, {.bytes = 128 << 10});
  ASSERT_TRUE(line.value) << line.why;
  EXPECT_GT(*line.value, 0.0);
  const reading wrong = hardware->wrong_guess_ns(pu);
  ASSERT_TRUE(wrong.value) << wrong.why;
  EXPECT_GE(*wrong.value, 0.0);
  EXPECT_FALSE(hardware->sweep_ns(pu, {.bytes = 4 << 10}).why.empty()) << "too small for two matrices";
  EXPECT_FALSE(hardware->load_ns(pu, {.bytes = 64}).why.empty()) << "one line is no circle";
  EXPECT_FALSE(agreed_clock(hardware->clocks(os_index{100'000})).why.empty()) << "no such PU";
}

}  // namespace
}  // namespace nearfork::tools
