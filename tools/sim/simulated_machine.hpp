// The machines of simulations: from a name to the description, and to the numbers that it lacks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/programs/program.hpp"
#include "tools/simulated/simulated_workload.hpp"

namespace nearfork::tools {

struct simulated_machine {
  std::string name;
  std::shared_ptr<const machine> what;
  sim::machine_model model;
  computing_speed speed{};
  std::vector<std::string> assumed{};  // as sim::assumed_of()
};

/// The speed of the model's reference core, for which times of computation are given: its fastest core, unless the
/// model names a speed.
[[nodiscard]] computing_speed speed_of(const sim::machine_model& model);

/// The machine that load_machine() makes, with the values of its model file (docs/MACHINES.md), or the simulator's
/// defaults if there is none. Throws: nearfork::error that says what is wrong with the description or the model.
[[nodiscard]] simulated_machine machine_to_simulate(const std::string& specification);

/// The named machine opteron-8380, on which A-CAB and LAWS were measured: four sockets of AMD's Opteron 8380, 2.5 GHz,
/// 512 KiB of L2 for each core, 6 MiB of L3 for each four cores, 16 GiB of memory (A-CAB, section 4; LAWS, section 5).
[[nodiscard]] simulated_machine papers_machine();

/// Throws: nearfork::error if `bytes` are more than the machine's memory, where the machine's description says how much
/// that is. `how_exact`: what the error says before the number, such as "at least ".
void check_it_fits(const simulated_machine& where, const std::string& what, std::uint64_t bytes,
                   std::string_view how_exact = {});
/// Throws: nearfork::error if the machine has fewer hardware threads. 0: as many as it grants.
void check_workers(const simulated_machine& where, std::uint32_t workers);

}  // namespace nearfork::tools
