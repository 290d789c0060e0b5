// The runtime and the simulator are two drivers of the same plans. A tree run by real threads on virtual domains and by
// virtual workers must get the same plans from the same profile, and run the same subtrees in the same domains.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/graph_sketch.hpp"

namespace {

using namespace nearfork;

constexpr unsigned levels = 6;
constexpr unsigned leaves = 1U << levels;
constexpr std::uint64_t leaf_bytes = 64 << 10;
constexpr std::uint64_t input_bytes = leaves * leaf_bytes;
constexpr int iterations = 6;
constexpr const char* four_domains = "package:4 [numa(memory=1GiB)] l3:1(size=1MiB) core:2 pu:1";

/// Writes a plan down task by task: the way to the task from the root, and the task's placement.
void write_down(std::string& text, plan_cursor at, const std::string& way) {
  if (way.size() == levels) return;
  const planned_fork fork = at.fork(2);
  if (fork.empty()) return;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const planned_fork::child said = fork.at(i);
    const std::string here = way + (i == 0 ? "l" : "r");
    text += here + (said.where.domain == any_domain ? " anywhere" : " " + std::to_string(said.where.domain)) +
            (said.where.pool == pool_class::high ? " high" : " low") +
            (said.where.children == spawn_order::parent_first ? " parent first" : "") +
            (said.where.subtree_root ? " root\n" : "\n");
    if (!said.where.subtree_root) write_down(text, said.cursor, here);
  }
}

std::string written_down(const plan& one) {
  std::string text;
  write_down(text, plan_cursor(one), "");
  return text;
}

/// Plans as `name` does, from a profile with fixed bytes and a fixed time for each leaf, whatever was measured. Writes
/// down each plan. While a plan is in force no worker searches in another domain, so that it is certain which domain
/// runs which leaf.
class told_policy final : public policy {
 public:
  told_policy(std::string_view name, std::vector<std::string>& plans) : like_(make_policy(name)), plans_(plans) {}

  std::string_view name() const override { return "told"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine& where, const region_facts& facts) const override {
    plan made = like_->first(where, facts);
    plans_.push_back(written_down(made));
    return made;
  }
  plan next(const machine& where, const profile& measured, const plan& previous) const override {
    profile told(measured.tree(), cost_source::cache_misses, input_bytes);
    for (std::uint32_t i = 0; i < told.tree().size(); ++i)
      if (told.tree().is_leaf(tree_node{i})) told.record(tree_node{i}, {.size_bytes = leaf_bytes, .time_ns = 1000});
    told.complete();
    plan made = like_->next(where, told, previous);
    plans_.push_back(written_down(made));
    return made;
  }
  search_order order(const machine& where, phase now) const override {
    search_order at_home;
    const search_order usual = like_->order(where, now);
    for (search_step step : usual.steps()) {
      const bool elsewhere = step.where == look::remote_high_pools || step.where == look::remote_low_pools ||
                             step.where == look::any_deque;
      if (elsewhere) step.only.not_while_planned = step.only.not_while_profiling = true;
      at_home.add(step);
    }
    return at_home;
  }

 private:
  std::unique_ptr<policy> like_;
  std::vector<std::string>& plans_;
};

/// By leaf: the domain that ran it in an iteration.
using mapping = std::array<unsigned, leaves>;
struct observed {
  std::vector<std::string> plans{};
  std::vector<mapping> domains{};
};

void halve(unsigned first, unsigned last, mapping& into) {
  if (last - first == 1) {
    into[first] = this_worker::domain();
    return;
  }
  const unsigned middle = first + (last - first) / 2;
  fork_join([&] { halve(first, middle, into); }, [&] { halve(middle, last, into); });
}

observed by_threads(std::string_view policy_name) {
  observed seen;
  config settings;
  settings.workers = 8;
  settings.pin = pinning::off;
  runtime real(settings, std::make_unique<scheduler>(settings, load_machine(four_domains),
                                                     std::make_unique<told_policy>(policy_name, seen.plans)));
  for (int i = 0; i < iterations; ++i) {
    seen.domains.emplace_back();
    real.run([&] {
      region({.name = "halves", .input_bytes = input_bytes}, [&] { halve(0, leaves, seen.domains.back()); });
    });
  }
  return seen;
}

struct sketched_halves {
  sim::program what;
  std::map<std::uint32_t, unsigned> leaf_of{};  // by tree node
};

void sketch(sim::graph_sketch& into, tree_node here, unsigned first, unsigned last, sketched_halves& made) {
  if (last - first == 1) {
    const sim::data_access own{first * leaf_bytes, leaf_bytes, sim::access_kind::write};
    into.work(here, 1000, {&own, 1});
    made.leaf_of[static_cast<std::uint32_t>(index_of(here))] = first;
    return;
  }
  const unsigned middle = first + (last - first) / 2;
  const tree_node child = into.fork(here, 2);
  sketch(into, child, first, middle, made);
  sketch(into, tree_node{index_of(child) + 1}, middle, last, made);
}

observed by_simulator(std::string_view policy_name) {
  observed seen;
  sketched_halves halves;
  sim::graph_sketch sketched;
  sketch(sketched, tree_root, 0, leaves, halves);
  halves.what = {.name = "halves", .input_bytes = input_bytes, .graphs = {}, .course = {0}};
  halves.what.graphs.push_back(std::move(sketched).finish());
  const auto where = load_machine(four_domains);
  const told_policy how(policy_name, seen.plans);
  sim::region_settings settings;
  settings.engine.keep_tasks = true;
  settings.iterations = iterations;
  for (const sim::iteration_report& one : sim::run_region(halves.what, *where, how, settings).iterations) {
    seen.domains.emplace_back();
    for (const sim::task_run& task : one.tasks)
      if (const auto leaf = halves.leaf_of.find(static_cast<std::uint32_t>(index_of(task.task)));
          leaf != halves.leaf_of.end())
        seen.domains.back()[leaf->second] = task.began_on / 2;  // two workers in each domain
  }
  return seen;
}

/// Names of tests have no hyphens.
std::string name_of_test(const testing::TestParamInfo<const char*>& of) {
  std::string name = of.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

class both_drivers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(policies, both_drivers, testing::Values("cab", "acab", "cats", "laws-nc", "laws"),
                         name_of_test);

/// laws also goes by the durations of iterations, which may differ between real threads and virtual workers. So only
/// its rule and its first packing are compared.
std::size_t plans_to_compare(std::string_view policy_name) {
  return policy_name == "laws" ? 2 : iterations;
}

TEST_P(both_drivers, get_the_same_plans) {
  observed threads = by_threads(GetParam());
  observed simulated = by_simulator(GetParam());
  const std::size_t most = plans_to_compare(GetParam());
  threads.plans.resize(std::min(most, threads.plans.size()));
  simulated.plans.resize(std::min(most, simulated.plans.size()));
  ASSERT_FALSE(threads.plans.empty());
  EXPECT_FALSE(threads.plans.back().empty()) << "a plan that says something";
  EXPECT_EQ(threads.plans, simulated.plans);
}

/// Only for policies whose plans name domains; under other policies chance decides.
class plans_with_homes : public both_drivers {};
INSTANTIATE_TEST_SUITE_P(policies, plans_with_homes, testing::Values("laws-nc", "laws"), name_of_test);

TEST_P(plans_with_homes, run_every_leaf_in_the_same_domain) {
  const observed threads = by_threads(GetParam());
  const observed simulated = by_simulator(GetParam());
  EXPECT_EQ(threads.domains, simulated.domains);
  for (unsigned leaf = 0; leaf < leaves; ++leaf)
    EXPECT_EQ(threads.domains.back()[leaf], leaf / (leaves / 4)) << "leaf " << leaf;
}

}  // namespace
