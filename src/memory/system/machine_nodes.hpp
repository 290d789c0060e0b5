// The memory nodes of the machine. The machine is read when the first question about its nodes comes.
//
// The lock of placed_memory guards all of it, except for read().
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/system/node_choice.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {

class machine_nodes {
 public:
  using machine_reader = std::function<std::shared_ptr<const machine>()>;
  machine_nodes(const os_memory& system, machine_reader read_machine, std::shared_ptr<const machine> known);

  [[nodiscard]] bool are_known() const noexcept { return machine_ != nullptr; }
  /// Call it without the lock: machines are read in turn, and the thread that reads may fork(), which takes the lock.
  [[nodiscard]] std::shared_ptr<const machine> read() const { return read_machine_(); }
  /// The first machine that is told stays.
  void know(std::shared_ptr<const machine> where);

  [[nodiscard]] const machine& where();
  [[nodiscard]] std::vector<node_id> with_memory() { return nodes_with_memory(where()); }
  /// Nodes with memory: with one alone, nothing is to be chosen.
  [[nodiscard]] bool are_one() { return with_memory().size() < 2; }
  [[nodiscard]] os_index os_of(node_id node) { return where().at(node).os; }
  /// What is free on each node. It asks the system once for each: the system tells it in files, and a search for room
  /// asks for the same nodes again and again.
  [[nodiscard]] free_memory free_now();

 private:
  const os_memory& system_;
  const machine_reader read_machine_;
  std::shared_ptr<const machine> machine_;
};

}  // namespace nearfork
