#include "plan/profile/profile.hpp"

#include <utility>

namespace nearfork {

std::string_view name_of(cost_source source) noexcept {
  switch (source) {
    case cost_source::cache_misses: return "cache misses";
    case cost_source::placed_bytes: return "placed bytes";
    case cost_source::time: return "time";
  }
  return "?";
}

profile::profile(task_tree tree, cost_source source, std::uint64_t input_bytes)
    : tree_(std::move(tree)),
      source_(source),
      own_(tree_.size()),
      total_(tree_.size()),
      tasks_(tree_.size()),
      share_(tree_.size()),
      input_bytes_(input_bytes) {}

void profile::record(tree_node node, task_cost own) {
  own_[index_of(node)] = own;
}

void profile::add_iteration(iteration_summary summary) {
  ++iterations_seen_;
  if (!summary.profiled && !summary.transition) {
    if (!summary.planned) plain_.add(summary.duration_ns);
    else if (planned_.size() < most_trials || planned_.contains(summary.trial))
      add_evidence(planned_[summary.trial], summary);
  }
  if (iterations_.size() == most_iterations) iterations_.erase(iterations_.begin());
  iterations_.push_back(std::move(summary));
}

void profile::forget_trials() {
  iterations_.clear();
  plain_ = {};
  planned_.clear();
}

std::vector<std::uint64_t> profile::lately_under(trial_id trial) const {
  std::vector<std::uint64_t> found;
  for (const iteration_summary& one : iterations_)
    if (one.tells_of(trial)) found.push_back(one.duration_ns);
  return found;
}

const iteration_digest* profile::evidence_of(trial_id trial) const noexcept {
  const auto found = planned_.find(trial);
  return found == planned_.end() ? nullptr : &found->second.times;
}

const domain_digest* profile::domains_under(trial_id trial) const noexcept {
  const auto found = planned_.find(trial);
  return found == planned_.end() ? nullptr : &found->second.domains;
}

void profile::add_evidence(trial_evidence& to, const iteration_summary& summary) {
  to.times.add(summary.duration_ns, summary.wanted_crossings.value_or(0));
  to.domains.add(summary.use_of_domain);
}

void profile::complete() {
  sum_up();
  split_shares();
}

void profile::take_bytes_from_shares() {
  split_shares();
  if (input_bytes_ > 0) {
    source_ = cost_source::placed_bytes;
    for (std::uint32_t i = 0; i < tree_.size(); ++i)
      if (tree_.is_leaf(tree_node{i}))
        own_[i].size_bytes = static_cast<std::uint64_t>(share_[i].width() * static_cast<double>(input_bytes_));
  }
  complete();
}

// Parents come before children, so one pass from the back sums whole subtrees of any depth.
void profile::sum_up() {
  total_ = own_;
  tasks_.assign(tree_.size(), 1);
  for (auto i = static_cast<std::uint32_t>(tree_.size()) - 1; i > 0; --i) {
    const auto parent = index_of(tree_.parent(tree_node{i}));
    total_[parent] += total_[i];
    tasks_[parent] += tasks_[i];
  }
}

void profile::split_shares() {
  share_[0] = {};
  for (std::uint32_t i = 1; i < tree_.size(); ++i) {
    const tree_node node{i};
    share_[i] = share_of_child(share_[index_of(tree_.parent(node))], tree_.position(node));
  }
}

double size_by_branching(const task_tree& tree, tree_node node, double input_bytes) {
  for (; node != tree_root; node = tree.parent(node)) input_bytes /= tree.position(node).branching;
  return input_bytes;
}

}  // namespace nearfork
