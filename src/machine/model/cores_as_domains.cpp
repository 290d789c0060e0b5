#include "machine/model/cores_as_domains.hpp"

#include <utility>

namespace nearfork {

machine cores_as_domains(const machine& whole) {
  machine_parts parts = whole.parts();
  parts.cores_are_domains = true;
  parts.present_pus = whole.present_pus();
  parts.domains.clear();
  for (package& one : parts.packages) one.domains.clear();
  for (memory_node& one : parts.nodes) one.domains.clear();
  for (const domain& coarse : whole.domains())
    for (const core_id id : coarse.cores) {
      const domain_id fine{static_cast<std::uint32_t>(parts.domains.size())};
      domain& one = parts.domains.emplace_back(coarse);
      one.cores = {id};
      core& alone = parts.cores[index_of_id(id)];
      alone.domain = fine;
      if (!alone.caches.empty()) one.caches = std::exchange(alone.caches, {});
      parts.packages[index_of_id(one.package)].domains.push_back(fine);
      for (const node_id node : one.nodes) parts.nodes[index_of_id(node)].domains.push_back(fine);
    }
  return machine(std::move(parts));
}

}  // namespace nearfork
