#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nearfork/error.hpp>

#include "tests/runtime_settings.hpp"
#include "tools/reproduce/drebes_latency.hpp"
#include "tools/reproduce/drebes_migration.hpp"
#include "tools/reproduce/drebes_runs.hpp"
#include "tools/reproduce/drebes_tables.hpp"
#include "workloads/dataflow/patterns.hpp"

namespace nearfork::tools {
namespace {

using workloads::block_grid;

constexpr block_grid small{{24, 1, 1}, {1 << 14, 1, 1}};

TEST(drebes_latency, the_papers_tables_come_out_within_5_percent) {
  if (test::sanitized) GTEST_SKIP() << "takes 12 s with sanitizers, which see the same code in smaller simulations";
  const result_table table = latency_table();
  ASSERT_EQ(table.rows.size(), 8U);
  for (const auto& row : table.rows) {
    EXPECT_NEAR(std::get<double>(row[4]), 0, 5)
        << std::get<std::string>(row[0]) << " " << std::get<std::string>(row[1]);
    EXPECT_NEAR(std::get<double>(row[7]), 0, 5);
  }
  EXPECT_THAT(latency_verdict(table), testing::HasSubstr("are within 5%"));
}

TEST(drebes_migration, pays_from_the_first_number_of_sweeps_from_which_on_it_always_pays) {
  EXPECT_EQ(pays_from({5, 6, 7}, {5, 6, 7}), 1U);
  EXPECT_EQ(pays_from({5, 6, 7}, {6, 5, 7}), 3U);
  EXPECT_EQ(pays_from({5, 6, 8}, {6, 7, 7}), 0U);
}

TEST(drebes_migration, of_huge_pages_pays_from_about_as_many_sweeps_as_in_the_paper) {
  if (test::sanitized) GTEST_SKIP() << "takes 11 s with sanitizers, which see the same code in smaller simulations";
  const simulated_machine opteron = scaled_machine(machine_to_simulate("opteron-6282"));
  const migration_experiment how{.page_bytes = 2U << 20, .sweeps = 16};
  const sim::balancing_model prices;
  const std::vector<std::uint64_t> without = run_migration(opteron, how, nullptr);
  const std::vector<std::uint64_t> with = run_migration(opteron, how, &prices);
  EXPECT_NEAR(pays_from(with, without), 12, 2);
  const auto last_sweep = [](const std::vector<std::uint64_t>& ended) { return ended[15] - ended[14]; };
  EXPECT_GT(last_sweep(without), 2 * last_sweep(with)) << "all pages have come";
}

TEST(flow_benchmarks, have_the_papers_tasks) {
  const auto tasks = [](std::string_view name, drebes_machine on, workloads::flow_kernel kernel) {
    for (const flow_benchmark& one : flow_benchmarks()) {
      if (one.name != name) continue;
      const workloads::flow_pattern made = one.make(on, reproduction_extent::quick);
      std::uint32_t count = 0;
      for (std::uint32_t task = 0; task < made.size(); ++task) count += made[task].kernel == kernel ? 1 : 0;
      return count;
    }
    return 0U;
  };
  using workloads::flow_kernel;
  for (const drebes_machine on : {drebes_machine::opteron, drebes_machine::sgi}) {
    for (const char* const name : {"jacobi-1d", "jacobi-2d", "jacobi-3d", "seidel-1d", "seidel-2d", "seidel-3d"})
      EXPECT_EQ(tasks(name, on, flow_kernel::stencil), 512U * 12) << name;
    EXPECT_EQ(tasks("kmeans", on, flow_kernel::assign), 512U * 10);
    EXPECT_EQ(tasks("bitonic", on, flow_kernel::merge), 256U * 45) << "9 * 10 / 2 stages";
    EXPECT_EQ(tasks("cholesky", on, flow_kernel::factor), 16U);
  }
  EXPECT_EQ(tasks("blur-roberts", drebes_machine::opteron, flow_kernel::roberts), 32768U / 8);
}

TEST(flow_programs, read_and_write_as_much_as_the_pattern_says) {
  const workloads::flow_pattern pattern = workloads::jacobi_pattern(small, 3);
  const auto bytes = [&](flow_memory_use use, sim::access_kind kind) {
    const sim::dataflow_program made = flow_program(pattern, use, {});
    std::uint64_t sum = 0;
    for (std::uint32_t task = 0; task < made.tasks(); ++task)
      for (const sim::flow_access& one : made.accesses(task)) sum += one.kind == kind ? one.bytes : 0;
    return sum;
  };
  const std::uint64_t block = pattern.block_bytes(), faces = 3 * 2 * 23 * sizeof(double);
  EXPECT_EQ(bytes(flow_memory_use::dsa, sim::access_kind::read), 5 * 24 * block + faces) << "initial, 3 steps, final";
  EXPECT_EQ(bytes(flow_memory_use::dsa, sim::access_kind::write), 5 * 24 * block + faces);
  EXPECT_EQ(bytes(flow_memory_use::shm, sim::access_kind::read), 3 * 24 * block + faces);
  EXPECT_EQ(bytes(flow_memory_use::shm, sim::access_kind::write), 3 * 24 * block);
}

TEST(flow_programs, never_stand_still) {
  for (const drebes_machine on : {drebes_machine::opteron, drebes_machine::sgi})
    for (const flow_benchmark& one : flow_benchmarks()) {
      const workloads::flow_pattern pattern = one.make(on, reproduction_extent::quick);
      for (const flow_memory_use use : {flow_memory_use::dsa, flow_memory_use::shm})
        EXPECT_EQ(flow_program(pattern, use, {}).an_order().size(), pattern.size()) << one.name;
    }
}

TEST(flow_programs, change_shared_blocks_only_once_their_readers_are_done) {
  for (const auto make : {workloads::jacobi_pattern, workloads::seidel_pattern}) {
    const workloads::flow_pattern pattern = make({{3, 3, 1}, {64, 64, 1}}, 4);
    const sim::dataflow_program made = flow_program(pattern, flow_memory_use::shm, {});
    std::vector<std::vector<bool>> after(made.tasks(), std::vector<bool>(made.tasks(), false));  // [later][earlier]
    for (const std::uint32_t task : made.an_order())
      for (const std::uint32_t later : made.followers(task)) {
        after[later][task] = true;
        for (std::uint32_t one = 0; one < made.tasks(); ++one)
          if (after[task][one]) after[later][one] = true;
      }
    for (std::uint32_t writer = 0; writer < made.tasks(); ++writer)
      for (const sim::flow_access& write : made.accesses(writer)) {
        if (write.kind != sim::access_kind::write) continue;
        for (std::uint32_t other = 0; other < made.tasks(); ++other)
          for (const sim::flow_access& one : made.accesses(other))
            if (other != writer && one.block == write.block) {
              EXPECT_TRUE(after[writer][other] || after[other][writer]) << writer << " and " << other;
            }
      }
  }
}

class small_drebes_runs : public testing::Test {
 protected:
  const simulated_machine where_ = scaled_machine(machine_to_simulate("opteron-6282"));
  const flow_runs runs_ = [this] {
    flow_runs made = run_flow_benchmark(where_, {"jacobi-1d", workloads::jacobi_pattern(small, 4)}, {.threads = 2});
    std::ranges::move(run_flow_benchmark(where_, {"bitonic", workloads::bitonic_pattern(16, 1 << 14)}, {.threads = 1}),
                      std::back_inserter(made));
    return made;
  }();
};

TEST_F(small_drebes_runs, fill_the_tables) {
  EXPECT_EQ(runs_.size(), 2 * flow_configurations().size());
  const drebes_tables tables(runs_);
  for (const result_table& one : {tables.gains(), tables.locality(), tables.balancing(), tables.footprint()}) {
    ASSERT_EQ(one.rows.size(), 2U) << one.id;
    for (const auto& row : one.rows) EXPECT_EQ(row.size(), one.columns.size()) << one.id;
    EXPECT_EQ(std::get<std::string>(one.rows[1][1]), "bitonic");
  }
  EXPECT_EQ(std::get<double>(tables.locality().rows[0][8]), 88) << "the paper's";
  ASSERT_EQ(tables.pictures().size(), 1U);
  EXPECT_THAT(tables.pictures().front().svg, testing::HasSubstr("simulated"));
}

TEST_F(small_drebes_runs, are_judged_by_what_came_out) {
  const auto verdicts = drebes_tables(runs_).verdicts();
  ASSERT_EQ(verdicts.size(), 5U);
  const double gain = static_cast<double>(report_of(runs_, where_.name, "jacobi-1d", "dsa-base").duration_ps) /
                      static_cast<double>(report_of(runs_, where_.name, "jacobi-1d", "input").duration_ps);
  EXPECT_THAT(verdicts[3], testing::EndsWith(gain < 1.1 ? ": holds" : "does NOT hold"));
  EXPECT_THROW((void)report_of(runs_, where_.name, "jacobi-1d", "laws"), error);
}

TEST_F(small_drebes_runs, do_not_depend_on_the_number_of_threads) {
  const flow_runs again =
      run_flow_benchmark(where_, {"jacobi-1d", workloads::jacobi_pattern(small, 4)}, {.threads = 1});
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].report, runs_[i].report);
}

TEST_F(small_drebes_runs, deferred_allocation_writes_locally_and_takes_less_memory) {
  const auto& base = report_of(runs_, where_.name, "jacobi-1d", "dsa-base");
  const auto& best = report_of(runs_, where_.name, "jacobi-1d", "dsa-opt");
  EXPECT_EQ(best.written.remote, 0U);
  EXPECT_LT(best.most_live_bytes, base.most_live_bytes);
  EXPECT_EQ(report_of(runs_, where_.name, "jacobi-1d", "shm-base").read.all(), 0U) << "no buffers";
}

}  // namespace
}  // namespace nearfork::tools
