#include "runtime/dataflow/flow_edges.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace nearfork {

flow_edges::flow_edges(std::span<const task_notes::dependence> dependences, std::span<const known_task> tasks)
    : tasks_(tasks), direct_(tasks.size()), resolved_(tasks.size()), marks_(tasks.size(), mark::none) {
  for (const task_notes::dependence& each : dependences) direct_[each.of].push_back(each.on);
  for (std::uint32_t place = 0; place < direct_.size(); ++place) {
    if (visit(place)) continue;
    order_.clear();
    return;
  }
}

/// Adds the task after all that it waits for. False: it waits for itself.
bool flow_edges::visit(std::uint32_t first) {
  if (marks_[first] == mark::done) return true;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;
  const auto enter = [&](std::uint32_t place) {
    marks_[place] = mark::open;
    path.emplace_back(place, 0);
  };
  enter(first);
  while (!path.empty()) {
    auto& [place, next] = path.back();
    const bool has_creator = tasks_[place].creator < direct_.size();
    if (next == direct_[place].size() + (has_creator ? 1 : 0)) {
      resolve(place);
      path.pop_back();
      continue;
    }
    const std::uint32_t before = next < direct_[place].size() ? direct_[place][next] : tasks_[place].creator;
    ++next;
    if (marks_[before] == mark::open) return false;
    if (marks_[before] == mark::none) enter(before);
  }
  return true;
}

void flow_edges::resolve(std::uint32_t place) {
  std::vector<std::uint32_t>& made = resolved_[place];
  for (const std::uint32_t before : direct_[place]) {
    if (tasks_[before].is_there) made.push_back(before);
    else made.insert(made.end(), resolved_[before].begin(), resolved_[before].end());
  }
  std::ranges::sort(made);
  made.erase(std::ranges::unique(made).begin(), made.end());
  std::erase(made, place);
  marks_[place] = mark::done;
  order_.push_back(place);
}

}  // namespace nearfork
