// The simulated workloads do what the workloads do: the same trees, seen by the runtime itself, and the same bytes.
#include "tools/simulated/simulated_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <nearfork/error.hpp>
#include <nearfork/runtime.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "tools/workload_words.hpp"

namespace nearfork::tools {
namespace {

/// What the first iteration of a region was, as watching_policy sees it under plain stealing.
struct seen_region {
  std::mutex mutex;
  std::optional<task_tree> tree;
  region_facts facts;
};

class watching_policy final : public policy {
 public:
  explicit watching_policy(seen_region& into) : into_(into) {}
  std::string_view name() const override { return "watching"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine&, const region_facts& facts) const override {
    const std::lock_guard lock(into_.mutex);
    into_.facts = facts;
    return {};
  }
  plan next(const machine&, const profile& measured, const plan&) const override {
    const std::lock_guard lock(into_.mutex);
    if (!into_.tree) into_.tree = measured.tree();
    return {};
  }
  search_order order(const machine&, phase) const override {
    return {{.where = look::own_deque}, {.where = look::any_deque}, {.where = look::injector}};
  }

 private:
  seen_region& into_;
};

class every_simulated_workload : public testing::TestWithParam<std::string_view> {
 protected:
  [[nodiscard]] const workloads::workload& what() const { return workloads::find_workload(GetParam()); }
  [[nodiscard]] const workloads::size_values& size() const { return what().sizes.named_values("test"); }
  [[nodiscard]] sim::program simulated() const { return simulated_program(what(), {.size = size(), .iterations = 3}); }
};
INSTANTIATE_TEST_SUITE_P(all, every_simulated_workload, testing::ValuesIn(simulated_workloads()), [](const auto& one) {
  std::string name(one.param);
  std::erase(name, '-');
  return name;
});

TEST_P(every_simulated_workload, has_the_tree_and_the_bytes_of_the_real_one) {
  seen_region seen;
  {
    config settings;
    settings.workers = 2;
    settings.pin = pinning::off;
    runtime crew(settings, std::make_unique<scheduler>(settings, load_machine("package:2 l3:1 core:1 pu:1"),
                                                       std::make_unique<watching_policy>(seen)));
    const auto problem = workloads::prepare(what(), size(), {.seed = 1});
    crew.run([&] { problem->run_nearfork(); });
    EXPECT_EQ(problem->fault(), "");
  }
  const sim::program made = simulated();
  ASSERT_TRUE(seen.tree.has_value());
  EXPECT_EQ(made.graphs.front().size(), seen.tree->size());
  EXPECT_TRUE(made.graphs.front().tree().same_shape(*seen.tree));
  EXPECT_EQ(made.input_bytes, seen.facts.input_bytes);
  EXPECT_EQ(made.name, seen.facts.name);
}

TEST_P(every_simulated_workload, computes_and_is_the_same_each_time) {
  const sim::program one = simulated();
  const sim::program other = simulated();
  ASSERT_EQ(one.graphs.size(), other.graphs.size());
  EXPECT_GT(sim::work_ns(one.graphs.front()), 0U);
  for (std::uint32_t task = 0; task < one.graphs.front().size(); ++task) {
    const auto forks = one.graphs.front().forks(tree_node{task}).size();
    for (std::uint32_t i = 0; i <= forks; ++i) {
      const sim::stretch a = one.graphs.front().work(tree_node{task}, i);
      const sim::stretch b = other.graphs.front().work(tree_node{task}, i);
      EXPECT_EQ(a.compute_ns, b.compute_ns);
      EXPECT_THAT(b.accesses, testing::ElementsAreArray(a.accesses));
    }
  }
}

/// The bytes that the tasks of a graph write; a byte counts as often as it is written.
std::uint64_t written_bytes(const sim::task_graph& graph) {
  std::uint64_t sum = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i)
      for (const sim::data_access& one : graph.work(tree_node{task}, i).accesses)
        if (one.kind == sim::access_kind::write) sum += one.size_bytes;
  return sum;
}

sim::program simulated(std::string_view name, std::string_view size, std::uint64_t iterations = 1) {
  const auto& what = workloads::find_workload(name);
  return simulated_program(what, {.size = size_of_workload(name, what.sizes, size), .iterations = iterations});
}

TEST(simulated_workload, writes_each_inner_cell_of_the_other_buffer_once) {
  const sim::program heat = simulated("heat", "rows=67,columns=41");
  ASSERT_EQ(heat.graphs.size(), 2U);
  for (const sim::task_graph& sweep : heat.graphs) EXPECT_EQ(written_bytes(sweep), 65U * 41 * 8);
  EXPECT_EQ(heat.course, (std::vector<std::uint32_t>{0, 1}));
}

TEST(simulated_workload, leaves_the_border_of_a_cuboid_alone) {
  const sim::program star = simulated("25p", "planes=20,rows=11,columns=13");
  EXPECT_EQ(written_bytes(star.graphs.front()), (20U - 8) * (11 - 8) * 13 * 8);
}

TEST(simulated_workload, relaxes_both_colours_in_one_iteration) {
  const sim::program sor = simulated("sor", "rows=67,columns=41");
  EXPECT_EQ(sor.graphs.size(), 1U);
  EXPECT_EQ(sor.graphs.front().forks(tree_root).size(), 2U);
  EXPECT_EQ(written_bytes(sor.graphs.front()), 2U * 65 * 41 * 8);
}

TEST(simulated_workload, eliminates_less_with_each_pivot) {
  const sim::program ge = simulated("ge", "size=40", 40);
  ASSERT_EQ(ge.graphs.size(), 40U);
  for (std::uint64_t pivot = 0; pivot < 40; ++pivot) {
    EXPECT_EQ(written_bytes(ge.graphs[pivot]), (39 - pivot) * (40 - pivot) * 8);
    EXPECT_EQ(ge.graphs[pivot].size(), ge.graphs.front().size());
  }
}

TEST(simulated_workload, sorts_each_key_into_every_level) {
  // 8192 keys: leaves of 2048 in place or copied, then two levels of merges.
  const std::uint64_t keys = 8192;
  const std::uint64_t copies = written_bytes(simulated("mergesort", "keys=8192").graphs.front()) / (keys * 8);
  EXPECT_EQ(copies, 3U);
}

TEST(simulated_workload, refuses_one_that_is_not_simulated_and_lists_the_others) {
  try {
    (void)simulated("ga", "test");
    FAIL() << "ga has no simulated counterpart";
  } catch (const error& refused) {
    EXPECT_THAT(refused.what(), testing::AllOf(testing::HasSubstr("ga has no"), testing::HasSubstr("heat-ir")));
  }
}

}  // namespace
}  // namespace nearfork::tools
