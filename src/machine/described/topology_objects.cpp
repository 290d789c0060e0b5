#include "machine/described/topology_objects.hpp"

namespace nearfork {
namespace {

constexpr std::size_t longest_name = 100;

}  // namespace

std::string printable(const char* name) {
  std::string text = std::string(name).substr(0, longest_name);
  std::replace_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

unsigned topology_objects::count(hwloc_obj_type_t type) const {
  return hwloc_.get_nbobjs_by_depth(topology_, hwloc_.get_type_depth(topology_, type));
}

hwloc_obj_t topology_objects::first(hwloc_obj_type_t type) const {
  return hwloc_.get_obj_by_depth(topology_, hwloc_.get_type_depth(topology_, type), 0);
}

std::vector<hwloc_obj_t> topology_objects::all(hwloc_obj_type_t type) const {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t object = first(type); object != nullptr; object = object->next_cousin) found.push_back(object);
  return found;
}

bool topology_objects::lies_inside(hwloc_obj_t object, hwloc_const_bitmap_t pus) const {
  return hwloc_.bitmap_iszero(object->cpuset) == 0 && hwloc_.bitmap_isincluded(object->cpuset, pus) != 0;
}

unsigned topology_objects::cores_of(hwloc_obj_t object) const {
  if (object->userdata == nullptr) object->userdata = reinterpret_cast<void*>(std::uintptr_t{counted_cores(object)});
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(object->userdata));
}

unsigned topology_objects::counted_cores(hwloc_obj_t object) const {
  unsigned found = 0;
  hwloc_obj_t one = first(count(HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU);
  for (; one != nullptr; one = one->next_cousin)
    if (lies_inside(one, object->cpuset)) ++found;
  return std::max(1U, found);
}

void topology_objects::require_at_most(unsigned most, const char* what, unsigned found) const {
  if (found > most)
    throw error("nearfork: " + name_ + " has " + std::to_string(found) + " " + what + "; at most " +
                std::to_string(most) + " are possible");
}

void topology_objects::refuse_doubles(const char* noun, std::vector<os_index> numbers) const {
  std::sort(numbers.begin(), numbers.end());
  const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
  if (twice != numbers.end())
    throw error("nearfork: " + name_ + " has two of " + noun + " " + std::to_string(number_of(*twice)) +
                "; each needs its own os_index");
}

}  // namespace nearfork
