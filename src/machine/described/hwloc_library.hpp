// hwloc, in memory only while a machine is read: loaded at the first use, unloaded with its last user. When it was
// linked, it and libudev below it kept 440 KiB resident in every program, for the 2 ms in which they are needed.
#pragma once

#include <hwloc.h>

/// The functions that we call, without hwloc's prefix. The inline functions of its headers are not used, because they
/// call other functions of the library, which is not linked.
#define NEARFORK_HWLOC_FUNCTIONS(X) \
  X(bitmap_alloc)                   \
  X(bitmap_free)                    \
  X(bitmap_intersects)              \
  X(bitmap_isequal)                 \
  X(bitmap_isincluded)              \
  X(bitmap_isset)                   \
  X(bitmap_iszero)                  \
  X(bitmap_set)                     \
  X(bitmap_weight)                  \
  X(cpukinds_get_info)              \
  X(cpukinds_get_nr)                \
  X(distances_get_by_type)          \
  X(distances_release)              \
  X(get_cpubind)                    \
  X(get_nbobjs_by_depth)            \
  X(get_obj_by_depth)               \
  X(get_type_depth)                 \
  X(memattr_get_best_initiator)     \
  X(obj_type_is_dcache)             \
  X(topology_destroy)               \
  X(topology_get_complete_cpuset)   \
  X(topology_init)                  \
  X(topology_is_thissystem)         \
  X(topology_load)                  \
  X(topology_restrict)              \
  X(topology_set_flags)             \
  X(topology_set_io_types_filter)   \
  X(topology_set_synthetic)         \
  X(topology_set_type_filter)       \
  X(topology_set_xmlbuffer)

namespace nearfork {

struct hwloc_functions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): gcc warns of them around a name that is declared
#define NEARFORK_HWLOC_POINTER(name) decltype(&::hwloc_##name) name = nullptr;
  NEARFORK_HWLOC_FUNCTIONS(NEARFORK_HWLOC_POINTER)
#undef NEARFORK_HWLOC_POINTER
};

/// hwloc's functions under their own names and types: hwloc.topology_load(...). Valid as long as this object lives.
/// Several objects share one loaded library.
class hwloc_library : public hwloc_functions {
 public:
  /// The library of all hwloc 2.x.
  static constexpr const char* usual_name = "libhwloc.so.15";
  static_assert(HWLOC_API_VERSION >> 16 == 2, "hwloc.h is not that of libhwloc.so.15");

  /// Throws: nearfork::error if there is no such library, or if it lacks a function. Other names are for tests.
  explicit hwloc_library(const char* file_name = usual_name);
  ~hwloc_library();
  hwloc_library(const hwloc_library&) = delete;
  hwloc_library& operator=(const hwloc_library&) = delete;

 private:
  void* handle_ = nullptr;
};

}  // namespace nearfork
