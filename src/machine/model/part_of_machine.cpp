#include "machine/model/part_of_machine.hpp"

#include <optional>
#include <utility>

namespace nearfork {
namespace {

/// Gives new numbers to the parts that stay, in the order of the first request.
template <class Id>
class renumbering {
 public:
  explicit renumbering(std::size_t before) : after_(before) {}

  [[nodiscard]] Id kept(Id before) {
    auto& after = after_[index_of_id(before)];
    if (!after) {
      after = static_cast<Id>(order_.size());
      order_.push_back(before);
    }
    return *after;
  }
  [[nodiscard]] std::optional<Id> find(Id before) const { return after_[index_of_id(before)]; }
  /// The parts that stay, by their new numbers.
  [[nodiscard]] const std::vector<Id>& order() const noexcept { return order_; }

 private:
  std::vector<std::optional<Id>> after_;
  std::vector<Id> order_;
};

template <class Id>
[[nodiscard]] std::vector<Id> only_kept(const std::vector<Id>& all, const renumbering<Id>& numbers) {
  std::vector<Id> kept;
  for (const Id before : all)
    if (const auto after = numbers.find(before)) kept.push_back(*after);
  return kept;
}

}  // namespace

machine with_domains(const machine& whole, std::span<const domain_id> kept) {
  machine_parts parts = whole.parts();
  renumbering<domain_id> domains(parts.domains.size());
  renumbering<package_id> packages(parts.packages.size());
  renumbering<core_id> cores(parts.cores.size());
  renumbering<pu_id> pus(parts.pus.size());
  for (const domain_id id : kept) (void)domains.kept(id);

  parts.domains.clear();
  for (const domain_id id : domains.order()) {
    domain& one = parts.domains.emplace_back(whole.at(id));
    one.package = packages.kept(one.package);
    for (core_id& each : one.cores) each = cores.kept(each);
  }
  parts.packages.clear();
  for (const package_id id : packages.order()) {
    package& one = parts.packages.emplace_back(whole.at(id));
    one.domains = only_kept(one.domains, domains);
  }
  parts.cores.clear();
  for (core_kind& kind : parts.core_kinds) kind.cores = 0;
  for (const core_id id : cores.order()) {
    core& one = parts.cores.emplace_back(whole.at(id));
    one.domain = *domains.find(one.domain);
    one.package = *packages.find(one.package);
    for (pu_id& each : one.pus) each = pus.kept(each);
    if (one.kind < parts.core_kinds.size()) ++parts.core_kinds[one.kind].cores;
  }
  parts.pus.clear();
  for (const pu_id id : pus.order()) {
    pu& one = parts.pus.emplace_back(whole.at(id));
    one.core = *cores.find(one.core);
  }
  for (memory_node& node : parts.nodes) node.domains = only_kept(node.domains, domains);
  parts.present_pus = whole.present_pus();
  return machine(std::move(parts));
}

}  // namespace nearfork
