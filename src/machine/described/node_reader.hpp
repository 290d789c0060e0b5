// Reads the memory nodes of a topology: what they are, which domains they are near, and how far they are from each
// other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/described/topology_objects.hpp"
#include "machine/model/machine.hpp"

namespace nearfork {

class node_reader {
 public:
  node_reader(const topology_objects& objects, machine_parts& parts) : objects_(objects), parts_(parts) {}

  /// What a node is does not depend on whether we may use its cores: call it before restrict_to().
  void read();
  /// Leaves out all other PUs.
  void restrict_to(hwloc_const_bitmap_t usable);
  /// After the domains were read.
  void read_locality(const numbering<domain_id>& domains);
  void read_distances();

 private:
  void add_memory_side_caches(hwloc_obj_t node);
  [[nodiscard]] const hwloc_library& hwloc() const noexcept { return objects_.hwloc(); }
  [[nodiscard]] hwloc_topology_t topology() const noexcept { return objects_.get(); }
  [[nodiscard]] std::optional<std::uint64_t> attribute(hwloc_memattr_id_t which, hwloc_obj_t node) const;
  [[nodiscard]] memory_kind kind_of(std::size_t n) const;
  [[nodiscard]] bool owns_cores_of(std::size_t other, std::size_t n) const;
  [[nodiscard]] std::vector<std::size_t> nodes_closest_fit_first() const;
  [[nodiscard]] bool holds_memory(std::size_t n) const;
  [[nodiscard]] static bool is_permutation_of(std::size_t count, std::vector<std::size_t> numbers);
  [[nodiscard]] std::uint32_t in_range(hwloc_uint64_t distance) const;
  [[nodiscard]] std::size_t position(hwloc_obj_t node) const;

  const topology_objects& objects_;
  machine_parts& parts_;
  std::vector<hwloc_obj_t> node_objects_;  // by node_id
};

}  // namespace nearfork
