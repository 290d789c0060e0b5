// Any text as a machine's model gives a model that can be simulated on, or a clear error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nearfork/error.hpp>

#include "machine/model/machine.hpp"
#include "sim/machine/model_reader.hpp"
#include "sim/memory/memory_hierarchy.hpp"

namespace {

/// Two packages with memory at each, two kinds of cores, and caches of two levels, so that every key refers to
/// something.
nearfork::machine any_machine() {
  nearfork::machine_parts parts;
  parts.described_by = "for fuzzing";
  for (std::uint32_t i = 0; i < 2; ++i) {
    parts.packages.push_back({nearfork::os_index{i}, {nearfork::domain_id{i}}});
    parts.domains.push_back({.package = nearfork::package_id{i},
                             .cores = {nearfork::core_id{i}},
                             .caches = {{1, 4096, 1}, {3, 16384, 1}},
                             .nodes = {nearfork::node_id{i}}});
    parts.cores.push_back(
        {nearfork::os_index{i}, nearfork::domain_id{i}, nearfork::package_id{i}, i, {nearfork::pu_id{i}}});
    parts.pus.push_back({nearfork::os_index{i}, nearfork::core_id{i}});
    nearfork::memory_node node;
    node.os = nearfork::os_index{i};
    node.domains = {nearfork::domain_id{i}};
    parts.nodes.push_back(node);
    parts.core_kinds.push_back(
        {.name = i == 0 ? "IntelAtom" : "IntelCore", .efficiency = static_cast<int>(i), .cores = 1});
  }
  return nearfork::machine(parts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const nearfork::machine where = any_machine();
  try {
    const auto model = nearfork::sim::load_model(where, {reinterpret_cast<const char*>(data), size});
    nearfork::sim::memory_hierarchy memory(where, model, 65536);
    (void)memory.touch(nearfork::core_id{1}, 0, 8, nearfork::sim::access_kind::write);
    (void)memory.serve(0);
  } catch (const nearfork::error& refused) {
    if (std::string_view(refused.what()).find("nearfork: ") == std::string_view::npos) std::abort();
  }
  return 0;
}
