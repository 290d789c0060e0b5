#include "sim/dataflow/ready_tasks.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {
namespace {

std::optional<std::uint32_t> take_oldest(std::deque<std::uint32_t>& from, std::size_t& counted) {
  if (from.empty()) return std::nullopt;
  const std::uint32_t task = from.front();
  from.pop_front();
  --counted;
  return task;
}

}  // namespace

flow_crew::flow_crew(const machine& where, std::uint32_t workers, victim_choice order) {
  const auto count = static_cast<std::uint32_t>(workers == 0 ? where.cores().size()
                                                             : std::min<std::size_t>(workers, where.cores().size()));
  workers_of_.resize(node_count(where));
  for (std::uint32_t i = 0; i < count; ++i) {
    node_of_.push_back(first_touch_node(where, where.cores()[i].domain));
    workers_of_[node_of_.back()].push_back(i);
  }
  const auto first_pu = [&](std::uint32_t worker) { return where.cores()[worker].pus.front(); };
  for (std::uint32_t self = 0; self < count; ++self) {
    std::map<std::pair<steal_distance, std::uint32_t>, std::vector<std::uint32_t>> by_distance;
    std::vector<std::uint32_t> all;
    for (std::uint32_t other = 0; other < count; ++other) {
      distances_.push_back(where.distance(first_pu(self), first_pu(other)));
      if (other == self) continue;
      all.push_back(other);
      by_distance[{distances_.back(), distance_to(where, where.cores()[self].domain, node_of_[other])}].push_back(
          other);
    }
    std::vector<ring>& rings = nearest_.emplace_back();
    for (auto& [distance, those] : by_distance) rings.push_back({distance.first, std::move(those)});
    victims_.push_back(rings);
    if (order == victim_choice::flat && !all.empty()) victims_.back() = {{steal_distance::machine, std::move(all)}};
  }
}

std::optional<std::uint32_t> ready_tasks::pop(std::uint32_t worker) {
  std::deque<std::uint32_t>& own = at_[worker].deque;
  if (own.empty()) return std::nullopt;
  const std::uint32_t task = own.back();
  own.pop_back();
  --in_deques_;
  return task;
}

std::optional<std::uint32_t> ready_tasks::steal(std::uint32_t victim) {
  return take_oldest(at_[victim].deque, in_deques_);
}

bool ready_tasks::try_send(std::uint32_t worker, std::uint32_t task) {
  if (at_[worker].mailbox.size() >= mailbox_tasks_) return false;
  at_[worker].mailbox.push_back(task);
  ++in_mailboxes_;
  return true;
}

std::size_t ready_tasks::empty_mailbox(std::uint32_t worker) {
  std::deque<std::uint32_t>& mailbox = at_[worker].mailbox;
  const std::size_t count = mailbox.size();
  for (const std::uint32_t task : mailbox) push(worker, task);
  mailbox.clear();
  in_mailboxes_ -= count;
  return count;
}

std::optional<std::uint32_t> ready_tasks::rob(std::uint32_t victim) {
  return take_oldest(at_[victim].mailbox, in_mailboxes_);
}

}  // namespace nearfork::sim
