// Arrays whose pages follow plans: what the plans want, which pages still lie elsewhere, and what was moved. The
// counterpart of src/memory/placed/page_mover.hpp.
//
// A page without a node gets it where the plan wants it, at its first write. A page that lies elsewhere is moved. A
// page whose node is full stays where it is, until a plan wants it on another node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/nodes/chunk_move.hpp"
#include "machine/nodes/page_stripes.hpp"
#include "sim/memory/pages/page_heat.hpp"
#include "sim/memory/pages/page_map.hpp"
#include "sim/programs/program.hpp"

namespace nearfork::sim {

struct page_move {
  std::uint64_t page = 0;
  std::uint16_t to = 0;
  page_map::room_use may_use = page_map::room_use::all;
};

class followed_pages {
 public:
  /// The pages of these arrays follow plans from now on.
  void add(std::span<const data_array> arrays, std::uint64_t page_bytes);
  [[nodiscard]] bool empty() const noexcept { return arrays_.empty(); }
  /// In the order of their numbers in chunk_move.
  [[nodiscard]] std::span<const followed_array> arrays() const noexcept { return arrays_; }

  /// Part i of each array, from borders[i] to borders[i + 1], is meant for nodes[i], or for the nodes of its turns;
  /// what `moves` names, for its node. Borders that fit no nodes change nothing.
  struct wish {
    std::span<const double> borders{};
    std::span<const std::uint16_t> nodes{};
    std::span<const node_turns> turns{};
    std::span<const chunk_move> moves{};
    double kept_free = 0;  // what other pages leave to those of `moves`
  };
  void follow(const wish& wanted, page_map& pages);
  /// Undoes the last change of follow().
  void take_back(page_map& pages);
  /// Makes the next move of these. nullopt: nothing remains to be moved.
  [[nodiscard]] std::optional<page_move> next(const page_map& pages);
  /// next() will make this move again.
  void put_off(const page_move& one) { pending_.push_back(one); }
  /// next()'s page lay on `from` and was moved.
  void moved(std::uint64_t page, std::uint16_t from);

 private:
  struct log_entry {
    std::uint64_t page;
    std::uint16_t from;
  };
  void mean(const std::vector<std::uint16_t>& wanted, page_map& pages) const;
  [[nodiscard]] std::vector<std::uint16_t> split(const wish& wanted) const;

  std::vector<followed_array> arrays_{};
  std::uint64_t page_bytes_ = 1;
  std::vector<std::uint16_t> now_{};     // the node that is wanted, by page of the arrays; empty: none
  std::vector<std::uint16_t> before_{};  // the same before the last change
  std::vector<page_move> pending_{};     // the next one last
  std::vector<log_entry> log_{};         // moves since the last change
  bool takes_back_ = false;
};

}  // namespace nearfork::sim
