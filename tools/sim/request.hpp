// What a command line asks to simulate, and which simulations that means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/simulated_machine.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {

inline constexpr std::uint64_t most_simulated_iterations = 1'000'000;

/// As given on the command line.
struct sim_request {
  std::string subject;   // a workload, or a recording: a name that ends in .nfg
  std::string region{};  // of a recording; empty: the one with the most work
  std::string size{};    // of a workload; empty: "default"
  std::optional<std::uint64_t> iterations{};
  std::vector<std::string> machines{};  // empty: the live one
  std::vector<std::string> policies{};  // empty: usual_policies(); "all": each
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;  // 0: as many as each machine grants
};

/// What shall be simulated. Everything that could be wrong with it has been checked.
struct sim_study {
  std::string subject;
  std::string description;
  std::string size;
  std::uint64_t size_iterations = 1;  // of the size
  std::uint64_t iterations = 1;       // to simulate
  std::uint64_t bytes = 0;            // touched by the program
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;
  std::vector<std::string> policies;
  std::vector<simulated_machine> machines;
  std::vector<sim::program> programs;  // by machine, or one program for all

  [[nodiscard]] const sim::program& program_on(std::size_t machine) const {
    return programs.size() == 1 ? programs.front() : programs.at(machine);
  }
};

[[nodiscard]] std::vector<std::string> usual_policies();

/// Throws: nearfork::error if a workload, size, machine or policy is unknown, there are more workers than cores, or the
/// machine has too little memory for the program.
[[nodiscard]] sim_study study_from(const sim_request& request);

/// By machine, then by policy. The jobs point into `study`.
[[nodiscard]] std::vector<simulation_job> jobs_of(const sim_study& study);

}  // namespace nearfork::tools
