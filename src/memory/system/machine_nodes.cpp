#include "memory/system/machine_nodes.hpp"

#include <map>
#include <optional>
#include <utility>

namespace nearfork {

machine_nodes::machine_nodes(const os_memory& system, machine_reader read_machine, std::shared_ptr<const machine> known)
    : system_(system), read_machine_(std::move(read_machine)), machine_(std::move(known)) {}

void machine_nodes::know(std::shared_ptr<const machine> where) {
  if (!machine_) machine_ = std::move(where);
}

const machine& machine_nodes::where() {
  if (!machine_) machine_ = read_machine_();
  return *machine_;
}

free_memory machine_nodes::free_now() {
  auto told = std::make_shared<std::map<node_id, std::optional<std::uint64_t>>>();
  return [this, told](node_id node) {
    const auto [at, is_new] = told->try_emplace(node);
    if (is_new) at->second = system_.free_bytes(os_of(node));
    return at->second;
  };
}

}  // namespace nearfork
