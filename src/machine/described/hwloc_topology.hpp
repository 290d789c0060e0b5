// hwloc's handles with owners. Only the sources of this room include it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <nearfork/error.hpp>

#include "base/fork_order.hpp"
#include "machine/described/hwloc_library.hpp"
#include "machine/model/machine.hpp"

namespace nearfork {

using shared_hwloc = std::shared_ptr<const hwloc_library>;

/// A topology, and the library that made it.
class topology_owner {
 public:
  /// An empty topology: it has no machine yet.
  explicit topology_owner(shared_hwloc hwloc);
  ~topology_owner() { hwloc_->topology_destroy(topology_); }
  topology_owner(const topology_owner&) = delete;
  topology_owner& operator=(const topology_owner&) = delete;

  [[nodiscard]] const hwloc_library& hwloc() const noexcept { return *hwloc_; }
  [[nodiscard]] hwloc_topology_t get() const noexcept { return topology_; }

 private:
  shared_hwloc hwloc_;
  hwloc_topology_t topology_ = nullptr;
};

/// Must not outlive the library that the bitmap came from.
struct bitmap_freer {
  const hwloc_library* hwloc;
  void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc->bitmap_free(bitmap); }
};
using bitmap_owner = std::unique_ptr<hwloc_bitmap_s, bitmap_freer>;

[[nodiscard]] inline bitmap_owner make_bitmap(const hwloc_library& hwloc) {
  return bitmap_owner(hwloc.bitmap_alloc(), bitmap_freer{&hwloc});
}

/// Lets only one thread read a machine at a time. The child process in which a description is tried is a copy of this
/// process: work of another thread in the loader or in hwloc would stay half done there. The program's own fork()
/// waits.
class machine_turn {
 public:
  machine_turn() : lock_(mutex_) {}

 private:
  inline static constinit std::mutex mutex_;
  no_fork_meanwhile gate_;
  std::unique_lock<std::mutex> lock_;
};

/// The value of hwloc's info of this name on an object; nullptr: none.
[[nodiscard]] const char* note_on(hwloc_obj_t object, std::string_view name) noexcept;

/// Reads a loaded topology. If `usable` is not null, reads only the PUs in it; the topology loses the others.
/// Throws: nearfork::error, with `name` in it, if the topology describes no machine.
[[nodiscard]] machine_parts read_topology(const topology_owner& topology, const std::string& name,
                                          hwloc_const_bitmap_t usable);

}  // namespace nearfork
