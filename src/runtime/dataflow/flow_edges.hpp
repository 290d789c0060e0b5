// Which tasks each task of a graph waits for, and an order in which all can run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/webs/task_notes.hpp"

namespace nearfork {

/// Those that each task waits for, itself or through ends (nested_scope.hpp): by place, without copies. Linear in
/// dependences, but for what ends multiply.
class flow_edges {
 public:
  static constexpr std::uint32_t no_creator = 0xffff'ffff;
  struct known_task {
    bool is_there = false;               // else an end
    std::uint32_t creator = no_creator;  // its place: the creator comes earlier in the order
  };

  /// `tasks`: by place. Outlives the edges.
  flow_edges(std::span<const task_notes::dependence> dependences, std::span<const known_task> tasks);
  /// An order in which they can run, near that of their creation; empty: there is a ring.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t place) const noexcept { return resolved_[place]; }

 private:
  enum class mark : std::uint8_t { none, open, done };

  [[nodiscard]] bool visit(std::uint32_t first);
  void resolve(std::uint32_t place);

  std::span<const known_task> tasks_;
  std::vector<std::vector<std::uint32_t>> direct_, resolved_;
  std::vector<mark> marks_;
  std::vector<std::uint32_t> order_;
};

}  // namespace nearfork
