// Where ready tasks wait, and who looks where: a deque and a mailbox for each worker, and the order of victims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "base/rng.hpp"
#include "machine/model/machine.hpp"

namespace nearfork::sim {

/// Nearest victims first, those of one distance from a random one on; or all from a random one on.
enum class victim_choice : std::uint8_t { hierarchical, flat };

/// One worker on each of the first cores.
class flow_crew {
 public:
  flow_crew(const machine& where, std::uint32_t workers, victim_choice order);

  struct ring {  // of one distance
    steal_distance distance;
    std::vector<std::uint32_t> workers;
  };
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(node_of_.size()); }
  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(workers_of_.size()); }
  /// The others, in the order in which `worker` asks them.
  [[nodiscard]] std::span<const ring> victims(std::uint32_t worker) const noexcept { return victims_[worker]; }
  /// The others, nearest first.
  [[nodiscard]] std::span<const ring> by_distance(std::uint32_t worker) const noexcept { return nearest_[worker]; }
  [[nodiscard]] steal_distance distance(std::uint32_t a, std::uint32_t b) const noexcept {
    return distances_[std::size_t{a} * size() + b];
  }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t worker) const noexcept { return node_of_[worker]; }
  [[nodiscard]] std::span<const std::uint32_t> workers_of(std::uint32_t node) const noexcept {
    return workers_of_[node];
  }

 private:
  std::vector<std::uint32_t> node_of_;                  // by worker
  std::vector<std::vector<std::uint32_t>> workers_of_;  // by node
  std::vector<steal_distance> distances_;
  std::vector<std::vector<ring>> nearest_, victims_;
};

class ready_tasks {
 public:
  ready_tasks(std::uint32_t workers, std::uint32_t mailbox_tasks) : mailbox_tasks_(mailbox_tasks), at_(workers) {}

  void push(std::uint32_t worker, std::uint32_t task) {
    at_[worker].deque.push_back(task);
    ++in_deques_;
  }
  /// The owner's end.
  [[nodiscard]] std::optional<std::uint32_t> pop(std::uint32_t worker);
  /// The other end.
  [[nodiscard]] std::optional<std::uint32_t> steal(std::uint32_t victim);
  /// False: the mailbox is full.
  [[nodiscard]] bool try_send(std::uint32_t worker, std::uint32_t task);
  /// The owner moves all tasks of the mailbox to the deque. Returns how many.
  std::size_t empty_mailbox(std::uint32_t worker);
  /// The oldest task of the mailbox.
  [[nodiscard]] std::optional<std::uint32_t> rob(std::uint32_t victim);

  [[nodiscard]] std::size_t in_deque(std::uint32_t worker) const noexcept { return at_[worker].deque.size(); }
  [[nodiscard]] std::size_t in_deques() const noexcept { return in_deques_; }
  [[nodiscard]] std::size_t in_mailboxes() const noexcept { return in_mailboxes_; }

 private:
  struct of_worker {
    std::deque<std::uint32_t> deque, mailbox;
  };
  std::size_t mailbox_tasks_;
  std::vector<of_worker> at_;
  std::size_t in_deques_ = 0;
  std::size_t in_mailboxes_ = 0;
};

/// Asks each worker of the rings, a ring from a random one on, until `ask` returns true.
template <class Ask>
void ask_in_turn(std::span<const flow_crew::ring> rings, rng& random, Ask&& ask) {
  for (const flow_crew::ring& one : rings) {
    const auto count = static_cast<std::uint32_t>(one.workers.size());
    const std::uint32_t first = random.below(count);
    for (std::uint32_t i = 0; i < count; ++i)
      if (ask(one.workers[first + i < count ? first + i : first + i - count])) return;
  }
}

}  // namespace nearfork::sim
