#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nearfork {

/// How much of a block a node is to hold, beside the others.
struct node_weight {
  unsigned os_node = 0;  // the system's number of a NUMA node, as numactl and `lstopo -p` show it
  double weight = 1;
  friend bool operator==(const node_weight&, const node_weight&) = default;
};

/// How the part of a domain is shared out among the nodes beside it, such as its HBM and its DRAM: in stripes of equal size,
/// of which a node gets as many as its weight says. The most stripes of a block are 256, and the least is a page.
enum class node_spread : std::uint8_t {
  nearest,       // not at all: the first one that is local holds it
  by_bandwidth,  // of the nodes, see placing::by_bandwidth()
  by_capacity,
  by_weights,  // given ones; nodes without one hold nothing
};

/// On which NUMA nodes the pages of a block lie. Nodes that are not there, have no memory, or have too little of it free
/// are replaced by the next nearest one, and the run report says so; in strict mode that is an error.
struct placing {
  enum class rule : std::uint8_t {
    follow_plan,  // parts side by side, each near the domain whose tasks work on it; without a plan by first touch
    interleaved,  // page by page in turn; by the kernel's weights where it has weighted interleave
    interleaved_by_bandwidth,  // in turn, the faster nodes more often: by the kernel's weights where it has some, else in stripes
    interleaved_by_weights,  // in turn, in stripes by given weights: the kernel has one set of them for all
    by_bandwidth,  // a part side by side for each node, as large as its bandwidth is in the sum of all (BATS, Eq. 1 and 2)
    by_capacity,  // the same by the nodes' sizes
    by_weights,   // the same by given weights
    bound,        // all on one node
    preferred,    // on one node as far as it has room, when the pages are touched
  };
  rule how = rule::follow_plan;
  unsigned os_node = 0;                               // of bound and preferred
  std::vector<node_weight> weights{};                 // of all that go by given ones; nodes without one hold nothing
  node_spread inside_domains = node_spread::nearest;  // of follow_plan

  [[nodiscard]] static placing follow_plan() { return {}; }
  /// As follow_plan(), and each domain's part is spread over its nodes. `given`: of node_spread::by_weights.
  [[nodiscard]] static placing follow_plan(node_spread inside_domains, std::vector<node_weight> given = {}) {
    return {.weights = std::move(given), .inside_domains = inside_domains};
  }
  [[nodiscard]] static placing interleaved() { return {.how = rule::interleaved}; }
  [[nodiscard]] static placing interleaved_by_bandwidth() { return {.how = rule::interleaved_by_bandwidth}; }
  [[nodiscard]] static placing interleaved_by_weights(std::vector<node_weight> given) {
    return {.how = rule::interleaved_by_weights, .weights = std::move(given)};
  }
  [[nodiscard]] static placing by_bandwidth() { return {.how = rule::by_bandwidth}; }
  [[nodiscard]] static placing by_capacity() { return {.how = rule::by_capacity}; }
  [[nodiscard]] static placing by_weights(std::vector<node_weight> given) {
    return {.how = rule::by_weights, .weights = std::move(given)};
  }
  [[nodiscard]] static placing bound_to(unsigned node) { return {.how = rule::bound, .os_node = node}; }
  friend bool operator==(const placing&, const placing&) = default;
  [[nodiscard]] static placing preferring(unsigned node) { return {.how = rule::preferred, .os_node = node}; }
};

enum class huge_pages : std::uint8_t { by_system, wanted, never };

/// What a program may say about an allocation.
struct memory_options {
  placing where{};
  huge_pages huge = huge_pages::by_system;
  std::size_t alignment = 0;  // in bytes, a power of two of at most most_alignment; 0: what the type needs
  std::string region{};       // of follow_plan: the one it belongs to; empty: all that run while it lives
};

inline constexpr std::size_t most_alignment = std::size_t{1} << 30;

/// An allocation of at least so many bytes is a placed block: pages of its own, which the options say something about.
/// Up to 64 KiB they come from pools of the node that the options bind or prefer, or else of the calling thread's, and return
/// there from any thread; in between from the heap, unless the options say where pages are to lie or that they are to be huge: then
/// these are placed blocks, too.
inline constexpr std::size_t placed_from_bytes = std::size_t{256} << 10;

}  // namespace nearfork
