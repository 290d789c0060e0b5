// Reads the cores of a topology: cores into domains, domains into packages; their caches and kinds.
#pragma once

#include <optional>
#include <vector>

#include "machine/described/topology_objects.hpp"
#include "machine/model/machine.hpp"

namespace nearfork {

class core_reader {
 public:
  core_reader(const topology_objects& objects, machine_parts& parts) : objects_(objects), parts_(parts) {}

  void read();
  /// After the cores.
  void read_kinds();
  [[nodiscard]] const numbering<domain_id>& domains() const noexcept { return domains_; }

 private:
  [[nodiscard]] const hwloc_library& hwloc() const noexcept { return objects_.hwloc(); }
  [[nodiscard]] hwloc_topology_t topology() const noexcept { return objects_.get(); }
  void add_core(hwloc_obj_t object);
  [[nodiscard]] hwloc_obj_t domain_object(hwloc_obj_t core_object);
  [[nodiscard]] hwloc_obj_t cache_or_package(hwloc_obj_t core_object);
  [[nodiscard]] domain_id domain_for(hwloc_obj_t core_object);
  [[nodiscard]] package_id package_for(hwloc_obj_t inside);
  void add_caches(hwloc_obj_t core_object, std::vector<cache_level>& known);
  bool is_known(const hwloc_obj_attr_u::hwloc_cache_attr_s& cache);
  static void add_cache(const cache_level& found, std::vector<cache_level>& known);
  void read_kind(unsigned index, std::vector<bool>& has_kind);
  [[nodiscard]] static std::optional<unsigned> megahertz(const char* text);

  const topology_objects& objects_;
  machine_parts& parts_;
  numbering<domain_id> domains_;
  numbering<package_id> packages_;
};

}  // namespace nearfork
