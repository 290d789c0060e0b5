#pragma once

#include <cstdint>
#include <memory>

#include "workloads/array_rules.hpp"

namespace nearfork::workloads {

struct edge_list;

/// What an instance is made from, beside its size.
struct instance_input {
  std::uint64_t seed = 1;
  array_rules arrays{};                      // heeded by grid and graph programs
  std::shared_ptr<const edge_list> graph{};  // heeded by graph programs; null: they generate one
};

}  // namespace nearfork::workloads
