// What it takes to plan anew after an iteration, while a policy tries its packings: a tree of 800,000 tasks, on the
// machine of the papers and on one whose cores count as domains. Beside it stands an iteration of as many tasks that do
// nothing, on this machine's workers: no program's iteration is shorter.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/cores_as_domains.hpp"
#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "plan/profile/profile.hpp"

namespace {

using namespace nearfork;

constexpr std::size_t tasks = 800'000;

profile halved_data() {
  task_tree tree;
  for (std::uint32_t i = 0; tree.size() < tasks; ++i) (void)tree.try_fork(tree_node{i}, 2);
  profile made(std::move(tree), cost_source::placed_bytes, std::uint64_t{1} << 30);
  made.take_bytes_from_shares();
  return made;
}

/// Half as fast with each step, so that all packings up to the last one are tried.
std::uint64_t duration_of(const plan& tried) {
  return std::uint64_t{100'000'000} - static_cast<std::uint64_t>(tried.why().packing_level + 20) * 4'000'000;
}

void fork_leaves(std::size_t leaves) {
  if (leaves == 1) return;
  fork_join([=] { fork_leaves(leaves / 2); }, [=] { fork_leaves(leaves - leaves / 2); });
}

/// The median over some iterations of a region.
double empty_iteration_us() {
  runtime own(config{.policy = "random"});
  std::vector<double> took_us;
  for (int i = 0; i < 21; ++i) {
    const auto began = std::chrono::steady_clock::now();
    own.run([] { region("empty tasks", [] { fork_leaves(tasks / 2); }); });
    took_us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count());
  }
  std::sort(took_us.begin(), took_us.end());
  return took_us[took_us.size() / 2];
}

void show(const char* where_text, const machine& where, const char* policy_name, double iteration_us) {
  const auto how = make_policy(policy_name);
  profile measured = halved_data();
  std::vector<double> took_us;
  std::size_t most_nodes = 0;
  plan now = how->first(where, {.name = "halved", .input_bytes = measured.input_bytes()});
  do {
    const auto began = std::chrono::steady_clock::now();
    now = how->next(where, measured, now);
    took_us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count());
    most_nodes = std::max(most_nodes, now.nodes().size());
    measured.add_iteration({.duration_ns = now.empty() ? 120'000'000 : duration_of(now),
                            .planned = !now.empty(),
                            .trial = now.standing().trial});
  } while (!now.standing().settled && took_us.size() < 200);
  std::sort(took_us.begin(), took_us.end());
  const double median_us = took_us[took_us.size() / 2];
  std::printf(
      "%-26s %-5s %3zu plans: median %8.1f us (%.2f%% of an empty iteration), longest %8.1f us; the largest names %zu "
      "of %zu tasks\n",
      where_text, policy_name, took_us.size(), median_us, 100 * median_us / iteration_us, took_us.back(), most_nodes,
      measured.tree().size());
}

}  // namespace

int main() {
  const auto four = load_machine("package:4 [numa] l3:1(size=6MB) l2:4(size=512KB) core:1 pu:1");
  const machine cores = cores_as_domains(*load_machine("package:1 [numa] l3:1(size=32MB) core:8 pu:1"));
  const double iteration_us = empty_iteration_us();
  std::printf("an iteration of %zu empty tasks: %.1f us\n", tasks, iteration_us);
  show("4 packages of 4 cores", *four, "laws", iteration_us);
  show("4 packages of 4 cores", *four, "auto", iteration_us);
  show("8 cores as domains", cores, "auto", iteration_us);
}
