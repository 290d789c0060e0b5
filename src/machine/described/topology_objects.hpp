// hwloc's tree of objects, asked in the ways in which machines are read.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "machine/described/hwloc_topology.hpp"

namespace nearfork {

[[nodiscard]] inline os_index os_index_of(hwloc_obj_t object) {
  return os_index{object->os_index != HWLOC_UNKNOWN_INDEX ? object->os_index : object->logical_index};
}

/// Names come from files, too, and end on terminals.
[[nodiscard]] std::string printable(const char* name);

/// Numbers objects in the order in which they are first seen. Those that are seen again were mostly seen last, so it
/// looks backwards. No std::map in this room: its one function in libstdc++ makes the kernel map 128 KiB of that
/// library.
template <class Id>
class numbering {
 public:
  /// The number, and whether it is new.
  std::pair<Id, bool> of(hwloc_obj_t object) {
    const auto found = std::find(seen_.rbegin(), seen_.rend(), object);
    const bool is_new = found == seen_.rend();
    const auto position = is_new ? seen_.size() : static_cast<std::size_t>(seen_.rend() - found) - 1;
    if (is_new) seen_.push_back(object);
    return {Id{static_cast<std::uint32_t>(position)}, is_new};
  }
  [[nodiscard]] hwloc_obj_t object(std::size_t number) const { return seen_[number]; }

 private:
  std::vector<hwloc_obj_t> seen_;
};

/// A loaded topology and the name of the machine that it describes, for messages.
class topology_objects {
 public:
  topology_objects(const topology_owner& topology, const std::string& name)
      : hwloc_(topology.hwloc()), topology_(topology.get()), name_(name) {}

  [[nodiscard]] const hwloc_library& hwloc() const noexcept { return hwloc_; }
  [[nodiscard]] hwloc_topology_t get() const noexcept { return topology_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // For types that are on one level: cores, PUs and nodes.
  [[nodiscard]] unsigned count(hwloc_obj_type_t type) const;
  [[nodiscard]] hwloc_obj_t first(hwloc_obj_type_t type) const;
  [[nodiscard]] std::vector<hwloc_obj_t> all(hwloc_obj_type_t type) const;

  [[nodiscard]] bool is_data_cache(hwloc_obj_t object) const { return hwloc_.obj_type_is_dcache(object->type) != 0; }
  /// How many cores an object contains; at least 1. Counting takes a walk over all cores, so each object is counted
  /// once; hwloc leaves `userdata` to us.
  [[nodiscard]] unsigned cores_of(hwloc_obj_t object) const;

  // Throw nearfork::error with the machine's name in it.
  void require_at_most(unsigned most, const char* what, unsigned found) const;
  /// Rejects duplicate OS indices: pinning or binding by such an index would take the wrong thing.
  template <class Thing>
  void require_distinct(const char* noun, const std::vector<Thing>& things) const {
    std::vector<os_index> numbers;
    for (const Thing& one : things) numbers.push_back(one.os);
    refuse_doubles(noun, std::move(numbers));
  }

 private:
  [[nodiscard]] bool lies_inside(hwloc_obj_t object, hwloc_const_bitmap_t pus) const;
  [[nodiscard]] unsigned counted_cores(hwloc_obj_t object) const;
  void refuse_doubles(const char* noun, std::vector<os_index> numbers) const;

  const hwloc_library& hwloc_;
  hwloc_topology_t topology_;
  const std::string& name_;
};

}  // namespace nearfork
