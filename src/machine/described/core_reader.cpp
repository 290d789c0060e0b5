#include "machine/described/core_reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

namespace nearfork {
namespace {

/// A cache below level 3 is a domain only if it joins more than a pair of cores: Apple's clusters, yes; KNL's tiles,
/// no.
constexpr unsigned least_cores_of_small_domain = 4;

bool has_several_sorts(const domain& of) {
  return std::adjacent_find(of.caches.begin(), of.caches.end(), [](const cache_level& one, const cache_level& next) {
           return one.level == next.level;
         }) != of.caches.end();
}

}  // namespace

/// By PU, as descriptions may lack cores: then each PU is one.
void core_reader::read() {
  numbering<core_id> cores;
  for (hwloc_obj_t one : objects_.all(HWLOC_OBJ_PU)) {
    hwloc_obj_t above = one->parent;
    while (above != nullptr && above->type != HWLOC_OBJ_CORE) above = above->parent;
    if (above == nullptr) above = one;
    const auto [core, is_new] = cores.of(above);
    if (is_new) add_core(above);
    parts_.cores[index_of_id(core)].pus.push_back(pu_id{static_cast<std::uint32_t>(parts_.pus.size())});
    parts_.pus.push_back({os_index_of(one), core});
  }
  objects_.require_distinct("PU", parts_.pus);
  for (core& one : parts_.cores)
    if (!has_several_sorts(parts_.domains[index_of_id(one.domain)])) one.caches.clear();
}

void core_reader::add_core(hwloc_obj_t object) {
  core made;
  made.os = os_index_of(object);
  made.domain = domain_for(object);
  domain& around = parts_.domains[index_of_id(made.domain)];
  made.package = around.package;
  around.cores.push_back(core_id{static_cast<std::uint32_t>(parts_.cores.size())});
  add_caches(object, made.caches);
  for (const cache_level& cache : made.caches) add_cache(cache, around.caches);
  parts_.cores.push_back(std::move(made));
}

/// The object whose cores are one domain with this core.
hwloc_obj_t core_reader::domain_object(hwloc_obj_t core_object) {
  hwloc_obj_t const shared = cache_or_package(core_object);
  for (hwloc_obj_t up = core_object; up != shared; up = up->parent)
    if (up->memory_arity > 0) return up;
  return shared;
}

hwloc_obj_t core_reader::cache_or_package(hwloc_obj_t core_object) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t up = core_object; up != nullptr; up = up->parent)
    if (objects_.is_data_cache(up)) last = up;
  if (last != nullptr && (last->attr->cache.depth >= 3 || objects_.cores_of(last) >= least_cores_of_small_domain))
    return last;
  // No shared last-level cache: the cores of one memory node, or else of one package.
  for (hwloc_obj_t up = core_object; up != nullptr; up = up->parent)
    if (up->memory_arity > 0 || up->type == HWLOC_OBJ_PACKAGE) return up;
  return hwloc().get_obj_by_depth(topology(), 0, 0);
}

domain_id core_reader::domain_for(hwloc_obj_t core_object) {
  const auto [id, is_new] = domains_.of(domain_object(core_object));
  if (is_new) {
    domain made;
    made.package = package_for(core_object);
    parts_.packages[index_of_id(made.package)].domains.push_back(id);
    parts_.domains.push_back(std::move(made));
  }
  return id;
}

package_id core_reader::package_for(hwloc_obj_t inside) {
  hwloc_obj_t object = inside;
  while (object != nullptr && object->type != HWLOC_OBJ_PACKAGE) object = object->parent;
  const auto [id, is_new] = packages_.of(object);
  if (is_new) {
    parts_.packages.push_back({object != nullptr ? os_index_of(object) : os_index{0}, {}});
    if (const char* const model = object != nullptr ? note_on(object, "CPUModel") : nullptr;
        model != nullptr && parts_.model.empty())
      parts_.model = printable(model);
  }
  return id;
}

/// Cores of one domain may differ in their caches: little cores share what each big core has for itself.
void core_reader::add_caches(hwloc_obj_t core_object, std::vector<cache_level>& known) {
  // Level 1 may hang below the core object.
  hwloc_obj_t lowest = core_object;
  while (lowest->first_child != nullptr && lowest->type != HWLOC_OBJ_PU) lowest = lowest->first_child;
  for (hwloc_obj_t up = lowest; up != nullptr; up = up->parent)
    if (objects_.is_data_cache(up) && is_known(up->attr->cache))
      add_cache({up->attr->cache.depth, up->attr->cache.size, objects_.cores_of(up)}, known);
}

/// Notes what is not known of a cache. False: its size; a cache of no bytes would be another one.
bool core_reader::is_known(const hwloc_obj_attr_u::hwloc_cache_attr_s& cache) {
  cache_remarks& notes = parts_.remarks;
  const auto note = [](std::vector<unsigned>& in, unsigned value) {
    if (std::find(in.begin(), in.end(), value) == in.end()) in.push_back(value);
  };
  if (cache.size == 0) {
    note(notes.levels_without_size, cache.depth);
    return false;
  }
  if (cache.linesize != 0) note(notes.line_bytes, cache.linesize);
  return true;
}

void core_reader::add_cache(const cache_level& found, std::vector<cache_level>& known) {
  const auto same = [&](const cache_level& one) {
    return one.level == found.level && one.size_bytes == found.size_bytes &&
           one.shared_by_cores == found.shared_by_cores;
  };
  if (std::any_of(known.begin(), known.end(), same)) return;
  const auto after =
      std::find_if(known.begin(), known.end(), [&](const cache_level& one) { return one.level > found.level; });
  known.insert(after, found);
}

void core_reader::read_kinds() {
  std::vector<bool> has_kind(parts_.cores.size(), false);
  const int kinds = std::max(0, hwloc().cpukinds_get_nr(topology(), 0));
  for (int i = 0; i < kinds; ++i) read_kind(static_cast<unsigned>(i), has_kind);
  const auto left = static_cast<unsigned>(std::count(has_kind.begin(), has_kind.end(), false));
  if (left == 0) return;
  for (std::size_t c = 0; c < has_kind.size(); ++c)
    if (!has_kind[c]) parts_.cores[c].kind = static_cast<unsigned>(parts_.core_kinds.size());
  parts_.core_kinds.push_back({parts_.core_kinds.empty() ? "uniform" : "kind not known", -1, left});
}

void core_reader::read_kind(unsigned index, std::vector<bool>& has_kind) {
  const bitmap_owner members = make_bitmap(hwloc());
  if (!members) throw std::bad_alloc();
  core_kind kind{"kind " + std::to_string(index), -1, 0};
  unsigned infos = 0;
  hwloc_info_s* info = nullptr;
  if (hwloc().cpukinds_get_info(topology(), index, members.get(), &kind.efficiency, &infos, &info, 0) != 0) return;
  for (unsigned at = 0; at < infos; ++at) {
    if (std::string_view(info[at].name) == "CoreType") kind.name = printable(info[at].value);
    if (std::string_view(info[at].name) == "FrequencyMaxMHz") kind.max_mhz = megahertz(info[at].value);
  }
  for (std::size_t c = 0; c < has_kind.size(); ++c) {
    core& one = parts_.cores[c];
    if (has_kind[c] || hwloc().bitmap_isset(members.get(), number_of(parts_.pus[index_of_id(one.pus.front())].os)) == 0)
      continue;
    has_kind[c] = true;
    one.kind = static_cast<unsigned>(parts_.core_kinds.size());
    ++kind.cores;
  }
  // None of them are ours: affinity left the whole kind out.
  if (kind.cores > 0) parts_.core_kinds.push_back(std::move(kind));
}

std::optional<unsigned> core_reader::megahertz(const char* text) {
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (end == text || value == 0 || value > 1'000'000) return std::nullopt;
  return static_cast<unsigned>(value);
}

}  // namespace nearfork
