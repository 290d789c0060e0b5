#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nearfork {

/// How much of a block one node shall hold, relative to the weights of the other nodes.
struct node_weight {
  unsigned os_node = 0;  // the system's number of the NUMA node, as numactl and `lstopo -p` show it
  double weight = 1;     // relative to those of the other nodes
  /// Equal if all members are.
  friend bool operator==(const node_weight&, const node_weight&) = default;
};

/// How a domain's part of a block is spread over the domain's local nodes, such as its HBM and its DRAM. The part is
/// cut into stripes of equal size, and each node gets stripes in proportion to its weight. A block has at most 256
/// stripes, and a stripe is at least one page.
enum class node_spread : std::uint8_t {
  nearest,       // no spread: the first local node holds the whole part
  by_bandwidth,  // weights: the bandwidths of the nodes, see placing::by_bandwidth()
  by_capacity,   // weights: the sizes of the nodes
  by_weights,    // weights: those given; nodes without a weight hold nothing
};

/// Rule for the NUMA nodes of a block's pages. Nodes are named by the system's numbers.
/// A node that does not exist, has no memory, or has too little free memory is replaced by the next nearest node. The
/// run report says so; in strict mode that is an error.
/// Source: LAWS, Eq. 1 (follow_plan); BATS, Eq. 1 and 2 (by_bandwidth).
struct NEARFORK_STANDARD_LAYOUT placing {
  /// How pages are spread over nodes.
  enum class rule : std::uint8_t {
    /// Contiguous parts, each near the domain whose tasks work on it. Without a plan: first touch.
    follow_plan,
    /// Page by page in turn over all nodes; by the kernel's weights if it has weighted interleave.
    interleaved,
    /// In turn, faster nodes more often: page by page by the kernel's weights if it has some, else in stripes.
    interleaved_by_bandwidth,
    /// In turn, in stripes, by given weights. The kernel cannot do this: it has one set of weights for all.
    interleaved_by_weights,
    /// One contiguous part for each node, as large as the node's bandwidth relative to the sum of all.
    by_bandwidth,
    by_capacity,  ///< The same, by the sizes of the nodes.
    by_weights,   ///< The same, by given weights.
    bound,        ///< All pages on one node.
    /// Each page on the node of high-bandwidth memory nearest to the thread that touches it first, and on no other.
    /// Where the machine has none, or the block does not fit into what is free of it, first touch decides.
    hbm_only,
    preferred,  ///< Each page on one node if that node has room when the page is touched.
  };
  rule how = rule::follow_plan;                       // the rule
  unsigned os_node = 0;                               // for bound and preferred
  std::vector<node_weight> weights{};                 // for the rules with given weights; other nodes hold nothing
  node_spread inside_domains = node_spread::nearest;  // for follow_plan

  // Each of the following makes the rule of its name.

  /// rule::follow_plan, without a spread inside domains.
  [[nodiscard]] static placing follow_plan() { return {}; }
  /// As follow_plan(), and spreads each domain's part over the domain's nodes. `given`: weights for
  /// node_spread::by_weights.
  [[nodiscard]] static placing follow_plan(node_spread inside_domains, std::vector<node_weight> given = {}) {
    return {.weights = std::move(given), .inside_domains = inside_domains};
  }
  /// rule::interleaved.
  [[nodiscard]] static placing interleaved() { return {.how = rule::interleaved}; }
  /// rule::interleaved_by_bandwidth.
  [[nodiscard]] static placing interleaved_by_bandwidth() { return {.how = rule::interleaved_by_bandwidth}; }
  /// rule::interleaved_by_weights. Nodes without a weight hold nothing.
  [[nodiscard]] static placing interleaved_by_weights(std::vector<node_weight> given) {
    return {.how = rule::interleaved_by_weights, .weights = std::move(given)};
  }
  /// rule::by_bandwidth.
  [[nodiscard]] static placing by_bandwidth() { return {.how = rule::by_bandwidth}; }
  /// rule::by_capacity.
  [[nodiscard]] static placing by_capacity() { return {.how = rule::by_capacity}; }
  /// rule::by_weights. Nodes without a weight hold nothing.
  [[nodiscard]] static placing by_weights(std::vector<node_weight> given) {
    return {.how = rule::by_weights, .weights = std::move(given)};
  }
  /// rule::bound, to this node by the system's number.
  [[nodiscard]] static placing bound_to(unsigned node) { return {.how = rule::bound, .os_node = node}; }
  /// rule::hbm_only.
  [[nodiscard]] static placing hbm_only() { return {.how = rule::hbm_only}; }
  /// Equal if all members are.
  friend bool operator==(const placing&, const placing&) = default;
  /// rule::preferred, for this node by the system's number.
  [[nodiscard]] static placing preferring(unsigned node) { return {.how = rule::preferred, .os_node = node}; }
};

/// Whether a block gets transparent huge pages: as the system decides, whole ones, or none.
enum class huge_pages : std::uint8_t { by_system, wanted, never };

/// Options of an allocation, for nearfork::array, nearfork::allocator and nearfork::placed_resource.
///
///     using nearfork::placing;
///     nearfork::array<float> field(1 << 24, {.where = placing::by_bandwidth(), .huge = nearfork::huge_pages::wanted});
///
/// Wrong weights or a wrong alignment make an allocation throw nearfork::error. Small blocks of an allocator or a
/// resource, which come from pools, do not look at weights.
struct NEARFORK_STANDARD_LAYOUT memory_options {
  placing where{};                          // on which nodes the pages lie
  huge_pages huge = huge_pages::by_system;  // which pages it gets
  std::size_t alignment = 0;  // bytes, a power of two of at most most_alignment; 0: the alignment of the type
  std::string region{};       // for follow_plan: the region whose plan places it; empty: all that run while it lives
};

/// The largest memory_options::alignment, in bytes: 1 GiB.
inline constexpr std::size_t most_alignment = std::size_t{1} << 30;

/// The least size of a placed block, in bytes: 256 KiB. A placed block has pages of its own, and the options place
/// them.
///
/// - Allocations of at least this size are placed blocks.
/// - Allocations of at most 64 KiB come from the pools of a node: the node that the options bind or prefer, else the
///   calling thread's node. Any thread may free them; they return to that pool.
/// - Allocations between these sizes come from the heap. If the options ask for other nodes than follow_plan does, or
///   for huge pages, such an allocation is a placed block, too.
inline constexpr std::size_t placed_from_bytes = std::size_t{256} << 10;

}  // namespace nearfork
