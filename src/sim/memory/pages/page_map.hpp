// Which memory node holds each page, and which nodes have room for more.
//
// A page gets its node at its first write; or, if its data come from nowhere, at its first read. That is the node that
// the page is meant for; if it is meant for none, the one nearest to the writer. Where a node has no room, the nearest
// node with room takes its place, as under Linux. A page that has a node keeps it until it is moved.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork::sim {

/// Thrown when a page finds no node with room.
class memory_full : public error {
 public:
  using error::error;
};

/// How much memory nodes have. By default no node is ever full.
struct node_room {
  std::vector<std::uint64_t> pages{};                 // by node; empty: without bound
  std::vector<std::vector<std::uint16_t>> nearest{};  // by node: all nodes, nearest first; empty: not known
};

/// Pages, since time 0.
struct page_counts {
  std::vector<std::uint64_t> of_node{};  // that lie there now; nodes beyond the last one have none
  std::uint64_t fell_back = 0;           // lay elsewhere at first, because the node that was wanted was full
  std::uint64_t moved = 0;               // times that a page was moved
  std::uint64_t stuck = 0;               // times that it could not be, because the node that was wanted was full
  friend bool operator==(const page_counts&, const page_counts&) = default;
};

class page_map {
 public:
  static constexpr std::uint16_t nowhere = 0xffff;

  explicit page_map(std::uint64_t pages, node_room room = {});

  // --- before anything is written ---
  /// From now on pages that are only read stay nowhere, as under Linux, which shows a page of zeros.
  void wait_for_writes() noexcept { reads_place_ = false; }
  /// The page gets this node at its first write; `nowhere`: the node nearest to its writer.
  void mean(std::uint64_t page, std::uint16_t node);
  /// What found its node full is meant for where it lies.
  [[nodiscard]] std::uint16_t meant(std::uint64_t page) const noexcept {
    return meant_.empty() ? nowhere : meant_[page];
  }
  /// From now on pages get no node but these: of these the nearest with room.
  void bind_all(std::span<const std::uint16_t> nodes);
  /// From now on this part of each node's memory is left free while other nodes have more room; 0 to 1.
  void keep_free(double part) noexcept { kept_free_ = part; }

  /// The page lies on this node, wherever it lay before. Throws: nearfork::error if no node has room.
  void place(std::uint64_t page, std::uint32_t node);
  /// A page that is nowhere gets its node. `first_touch`: the node nearest to the writer. Throws: as place().
  void write(std::uint64_t page, std::uint32_t first_touch) {
    if (node_of_[page] == nowhere) [[unlikely]]
      (void)give_meant_node(page, first_touch);
  }
  /// The node that a line of the page is read from. The page of zeros is as near as `first_touch`. Throws: as place().
  [[nodiscard]] std::uint32_t read(std::uint64_t page, std::uint32_t first_touch) {
    const std::uint16_t node = node_of_[page];
    if (node != nowhere) [[likely]]
      return node;
    return reads_place_ ? give_meant_node(page, first_touch) : first_touch;
  }
  /// May a page take what is kept free?
  enum class room_use : std::uint8_t { all, unkept };
  /// Moves a page that has a node. False: `node` has no room; the page stays.
  bool move(std::uint64_t page, std::uint32_t node, room_use may_use = room_use::all);

  /// `nowhere` if the page has none yet.
  [[nodiscard]] std::uint16_t node_of(std::uint64_t page) const noexcept { return node_of_[page]; }
  [[nodiscard]] std::uint64_t size() const noexcept { return node_of_.size(); }
  /// By node; empty: without bound.
  [[nodiscard]] std::vector<std::uint64_t> free_pages() const;
  [[nodiscard]] const page_counts& counts() const noexcept { return counts_; }

 private:
  /// Apart from the accesses, of which hardly one is the first to its page.
  [[gnu::noinline]] std::uint16_t give_meant_node(std::uint64_t page, std::uint32_t first_touch);
  std::uint16_t give_node(std::uint64_t page, std::uint16_t wanted);
  void mean_instead(std::uint64_t page, std::uint16_t node) {
    if (meant(page) != nowhere) meant_[page] = node;
  }
  [[nodiscard]] std::uint16_t with_room(std::uint16_t wanted, room_use may_use) const;
  [[nodiscard]] bool is_allowed(std::uint16_t node) const noexcept;
  [[nodiscard]] bool has_room(std::uint16_t node, room_use may_use) const noexcept {
    return room_.pages.empty() || (node < room_.pages.size() && usable_on(node, may_use) > lying_on(node));
  }
  [[nodiscard]] std::uint64_t usable_on(std::uint16_t node, room_use may_use) const noexcept {
    const std::uint64_t all = room_.pages[node];
    return may_use == room_use::all ? all : all - static_cast<std::uint64_t>(static_cast<double>(all) * kept_free_);
  }
  [[nodiscard]] std::uint64_t lying_on(std::uint16_t node) const noexcept {
    return node < counts_.of_node.size() ? counts_.of_node[node] : 0;
  }
  std::uint64_t& count_on(std::uint16_t node);
  [[noreturn]] void refuse(std::uint64_t page) const;

  std::vector<std::uint16_t> node_of_;
  std::vector<std::uint16_t> meant_{};     // by page; empty: no page is meant for a node
  std::vector<std::uint16_t> bound_to_{};  // empty: to none
  node_room room_;
  page_counts counts_{};
  double kept_free_ = 0;
  bool reads_place_ = true;
};

}  // namespace nearfork::sim
