#include "plan/crew/machine_parts.hpp"

#include <algorithm>
#include <cstddef>

namespace nearfork {
namespace {

/// Of `items` things in a row, those of part `which` of `parts`: at least one, shared if there are more parts.
struct slice {
  std::size_t first;
  std::size_t last;  // exclusive
};
slice slice_of(std::size_t items, std::size_t which, std::size_t parts) {
  const std::size_t first = which * items / parts;
  return {first, std::max(first + 1, (which + 1) * items / parts)};
}

void add(const machine& where, core_id core, std::vector<unsigned>& to) {
  for (const pu_id one : where.at(core).pus) to.push_back(number_of(where.at(one).os));
}

}  // namespace

std::vector<std::vector<unsigned>> parts_of_machine(const machine& where, unsigned parts) {
  const auto& domains = where.domains();
  std::vector<std::vector<unsigned>> made(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    const slice mine = slice_of(domains.size(), part, parts);
    if (parts <= domains.size()) {
      for (std::size_t i = mine.first; i < mine.last; ++i)
        for (const core_id core : domains[i].cores) add(where, core, made[part]);
    } else {
      // The parts p of domain d are those with p * domains / parts == d.
      const std::size_t d = mine.first;
      const std::size_t begin = (d * parts + domains.size() - 1) / domains.size();
      const std::size_t end = ((d + 1) * parts + domains.size() - 1) / domains.size();
      const auto& cores = domains[d].cores;
      const slice of_cores = slice_of(cores.size(), part - begin, end - begin);
      for (std::size_t i = of_cores.first; i < of_cores.last; ++i) add(where, cores[i], made[part]);
    }
    std::ranges::sort(made[part]);
  }
  return made;
}

}  // namespace nearfork
