#include "tools/sim_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

constexpr double usual_ns_per_operation = 0.4;

std::uint64_t memory_of(const machine& where) {
  std::uint64_t sum = 0;
  for (const memory_node& node : where.nodes()) sum += node.capacity_bytes;
  return sum;
}

}  // namespace

double ns_per_operation(const sim::machine_model& model) {
  double fastest = model.reference_speed;
  if (fastest == 0)
    for (const sim::core_model& kind : model.kinds) fastest = std::max(fastest, kind.mhz * kind.work_per_cycle);
  return fastest == 0 ? usual_ns_per_operation : 1000 / fastest;
}

simulated_machine machine_to_simulate(const std::string& specification) {
  const auto what = load_machine(specification);
  const sim::machine_model model = sim::model_of(*what);
  return {.name = specification.empty() ? "this machine" : specification,
          .what = what,
          .model = model,
          .ns_per_operation = ns_per_operation(model)};
}

simulated_machine papers_machine() {
  return machine_to_simulate("opteron-8380");
}

void check_it_fits(const simulated_machine& where, const std::string& what, std::uint64_t bytes) {
  const std::uint64_t there = memory_of(*where.what);
  if (there == 0 || bytes <= there) return;  // 0: the description does not say
  throw error(
      fmt::format("nearfork: {} works on {}, but {} has {} of memory; choose a smaller size or a larger machine", what,
                  workloads::bytes_text(bytes), where.name, workloads::bytes_text(there)));
}

void check_workers(const simulated_machine& where, std::uint32_t workers) {
  if (workers <= where.what->cores().size()) return;
  throw error(fmt::format("nearfork: --workers {}: {} has {} cores, and a simulated worker takes a whole one", workers,
                          where.name, where.what->cores().size()));
}

}  // namespace nearfork::tools
