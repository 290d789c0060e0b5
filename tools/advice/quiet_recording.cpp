#include "tools/advice/quiet_recording.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearfork::tools {
namespace {

using recordings::iteration;
using recordings::task_graph;

bool have_one_tree(const task_graph& a, const task_graph& b) {
  if (a.tasks() != b.tasks() || a.fork_count() != b.fork_count() || a.flow() != b.flow()) return false;
  for (std::uint32_t task = 0; task < a.tasks(); ++task)
    if (!std::ranges::equal(a.forks(task), b.forks(task))) return false;
  return true;
}

using some_iterations = std::vector<const iteration*>;

/// The largest group of iterations with one tree and one order of dataflow tasks.
some_iterations most_frequent(std::span<const iteration> all) {
  std::vector<some_iterations> groups;
  for (const iteration& one : all) {
    const auto known = std::ranges::find_if(
        groups, [&](const some_iterations& group) { return have_one_tree(group.front()->graph, one.graph); });
    if (known == groups.end()) groups.push_back({&one});
    else known->push_back(&one);
  }
  return *std::ranges::max_element(groups, {}, &some_iterations::size);
}

std::uint64_t median(std::vector<std::uint64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

template <class Get>
std::uint64_t median_of(const some_iterations& all, std::vector<std::uint64_t>& values, const Get& get) {
  values.clear();
  for (const iteration* const one : all) values.push_back(get(*one));
  return median(values);
}

/// Data and their places are those of the last iteration.
iteration typical_of(const some_iterations& all) {
  const iteration& last = *all.back();
  iteration made{.number = last.number, .duration_ns = 0, .graph = {}};
  std::vector<std::uint64_t> values;
  made.duration_ns = (*std::ranges::min_element(all, {}, &iteration::duration_ns))->duration_ns;
  made.graph.reserve(last.graph.tasks(), last.graph.fork_count(), last.graph.access_count());
  std::vector<std::uint32_t> branching;
  for (std::uint32_t task = 0; task < last.graph.tasks(); ++task) {
    const auto forks = last.graph.forks(task);
    branching.clear();
    for (const task_graph::fork& one : forks) branching.push_back(one.branching);
    made.graph.add_task(branching);
    for (std::uint32_t i = 0; i <= forks.size(); ++i)
      made.graph.add_stretch(
          median_of(all, values, [&](const iteration& one) { return one.graph.work(task, i).time_ns; }),
          last.graph.work(task, i).accesses);
  }
  made.graph.order_by(last.graph.flow());
  return made;
}

}  // namespace

recordings::recording quiet_recording(const recordings::recording& of) {
  recordings::recording made = of;
  for (recordings::region& region : made.regions) {
    std::span<const iteration> all = region.recorded;
    if (all.size() > 1 && all.front().number == 1) all = all.subspan(1);
    if (all.empty()) continue;
    std::vector<iteration> kept;
    kept.push_back(typical_of(most_frequent(all)));
    region.recorded = std::move(kept);
  }
  return made;
}

}  // namespace nearfork::tools
