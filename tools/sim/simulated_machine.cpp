#include "tools/sim/simulated_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

std::uint64_t memory_of(const sim::machine_model& model) {
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : model.node_bytes) sum += bytes;
  return sum;
}

}  // namespace

computing_speed speed_of(const sim::machine_model& model) {
  const auto work = [](const sim::core_model& kind) { return kind.mhz * kind.work_per_cycle; };
  const auto fastest = std::ranges::max_element(model.kinds, {}, work);
  if (fastest == model.kinds.end()) return {};
  return {.ns_per_operation = 1000 / (model.reference_speed == 0 ? work(*fastest) : model.reference_speed),
          .vector_work = fastest->vector_work,
          .ns_per_wrong_guess = static_cast<double>(fastest->wrong_guess_ps) / 1000};
}

simulated_machine machine_to_simulate(const std::string& specification) {
  const auto what = load_machine(specification);
  const sim::machine_model model = sim::model_of(*what);
  return {.name = specification.empty() ? "this machine" : specification,
          .what = what,
          .model = model,
          .speed = speed_of(model),
          .assumed = sim::assumed_of(*what)};
}

simulated_machine papers_machine() {
  return machine_to_simulate("opteron-8380");
}

void check_it_fits(const simulated_machine& where, const std::string& what, std::uint64_t bytes,
                   std::string_view how_exact) {
  const std::uint64_t there = memory_of(where.model);
  if (there == 0 || bytes <= there) return;  // 0: the description does not say
  throw error(
      fmt::format("nearfork: {} works on {}{}, but {} has {} of memory; choose a larger machine, "
                  "more --node-capacity if it is given, or a smaller size if it is a workload",
                  what, how_exact, workloads::bytes_text(bytes), where.name, workloads::bytes_text(there)));
}

void check_workers(const simulated_machine& where, std::uint32_t workers) {
  const std::size_t threads = where.what->pus().size();
  if (workers <= threads) return;
  throw error(fmt::format("nearfork: --workers {}: {} has {} cores with {} hardware threads, one for each worker",
                          workers, where.name, where.what->cores().size(), threads));
}

}  // namespace nearfork::tools
