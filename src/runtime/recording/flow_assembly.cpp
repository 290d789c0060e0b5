#include "runtime/recording/flow_assembly.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nearfork {
namespace {

using detail::noted_flow;
using recordings::flow_order;

struct placed_pair {
  std::uint32_t task;
  std::uint32_t other;
  friend constexpr auto operator<=>(const placed_pair&, const placed_pair&) = default;
};

/// All that graphs noted, by places in the tree.
struct placed_flows {
  std::vector<placed_pair> tasks;  // and their creators
  std::vector<placed_pair> edges;
  std::vector<placed_pair> exclusions;  // numbered through all graphs
};

void sort_without_copies(std::vector<placed_pair>& all) {
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

placed_flows placed(std::span<const noted_flow> flows, std::span<const std::uint32_t> place_of) {
  placed_flows made;
  std::uint32_t first_exclusion = 0;
  for (const noted_flow& one : flows) {
    const auto add = [&](std::vector<placed_pair>& to, std::uint32_t task, std::uint32_t other) {
      if (place_of[task] != no_place) to.push_back({place_of[task], other});
    };
    for (const noted_flow::flow_task& each : one.tasks)
      add(made.tasks, each.task, each.creator == 0 ? flow_order::by_waiting_task : place_of[each.creator]);
    for (const noted_flow::pair& each : one.edges) add(made.edges, each.task, place_of[each.other]);
    std::uint32_t exclusions = 0;
    for (const noted_flow::pair& each : one.exclusions) {
      add(made.exclusions, each.task, first_exclusion + each.other);
      exclusions = std::max(exclusions, each.other + 1);
    }
    first_exclusion += exclusions;
  }
  for (auto* const each : {&made.tasks, &made.edges, &made.exclusions}) sort_without_copies(*each);
  return made;
}

/// Numbers exclusions in the order in which the file has them: those that are new to a task are the next ones.
class exclusion_numbers {
 public:
  /// Of the exclusions of one task, ascending.
  const std::vector<std::uint32_t>& renumbered(std::span<const placed_pair> of_task) {
    made_.clear();
    for (const placed_pair& one : of_task)
      made_.push_back(known_.try_emplace(one.other, static_cast<std::uint32_t>(known_.size())).first->second);
    std::ranges::sort(made_);
    return made_;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> known_;
  std::vector<std::uint32_t> made_;
};

/// Those of one task. Call it for tasks that ascend.
class pairs_of_tasks {
 public:
  explicit pairs_of_tasks(std::span<const placed_pair> all) : rest_(all) {}
  std::span<const placed_pair> of(std::uint32_t task) {
    std::size_t count = 0;
    while (count < rest_.size() && rest_[count].task == task) ++count;
    const auto found = rest_.first(count);
    rest_ = rest_.subspan(count);
    return found;
  }

 private:
  std::span<const placed_pair> rest_;
};

}  // namespace

flow_order flow_of(std::span<const noted_flow> flows, std::span<const std::uint32_t> place_of) {
  const placed_flows all = placed(flows, place_of);
  pairs_of_tasks edges(all.edges);
  pairs_of_tasks exclusions(all.exclusions);
  exclusion_numbers numbers;
  flow_order made;
  for (const placed_pair& one : all.tasks) {
    made.add_task(one.task, one.other);
    const auto before = edges.of(one.task);
    for (auto each = before.rbegin(); each != before.rend(); ++each) made.add_predecessor(each->other);
    for (const std::uint32_t each : numbers.renumbered(exclusions.of(one.task))) made.add_exclusion(each);
  }
  return made;
}

}  // namespace nearfork
