// hwloc's handle with an owner; included by this room's sources only.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>

#include <nearfork/error.hpp>

#include "machine/machine.hpp"

namespace nearfork {

struct topology_destroyer {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using topology_owner = std::unique_ptr<hwloc_topology, topology_destroyer>;

struct bitmap_freer {
  void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using bitmap_owner = std::unique_ptr<hwloc_bitmap_s, bitmap_freer>;

[[nodiscard]] topology_owner make_topology();

/// Reads a loaded topology, of its PUs only those in `usable` unless that is null. Throws nearfork::error, with
/// `name` in it, where it describes no machine. The topology has lost the other PUs afterwards.
[[nodiscard]] machine_parts read_topology(hwloc_topology_t topology, const std::string& name,
                                          hwloc_const_bitmap_t usable);

}  // namespace nearfork
