// What a command line asks to be simulated, and what that comes to.
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

/// As given.
struct sim_request {
  std::string subject;   // a workload, or a recording: a name that ends in .nfg
  std::string region{};  // of a recording; empty: the one with the most work
  std::string size{};    // of a workload; empty: "default"
  std::optional<std::uint64_t> iterations{};
  std::vector<std::string> machines{};  // empty: this one
  std::vector<std::string> policies{};  // empty: usual_policies(); "all"
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;  // 0: as many as each machine grants
};

/// What is to be simulated, with everything found that can be wrong with it.
struct sim_study {
  std::string subject;
  std::string description;
  std::string size;
  std::uint64_t size_iterations = 1;  // that the size has
  std::uint64_t iterations = 1;       // that are simulated
  std::uint64_t bytes = 0;            // that the program touches
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;
  std::vector<std::string> policies;
  std::vector<simulated_machine> machines;
  std::vector<sim::program> programs;  // by machine, or one for all

  [[nodiscard]] const sim::program& program_on(std::size_t machine) const {
    return programs.size() == 1 ? programs.front() : programs.at(machine);
  }
};

[[nodiscard]] std::vector<std::string> usual_policies();

/// Throws nearfork::error: unknown workload, size, machine or policy; more workers than cores; a program that the machine
/// has no memory for.
[[nodiscard]] sim_study study_from(const sim_request& request);

/// By machine, then by policy. They point into `study`.
[[nodiscard]] std::vector<simulation_job> jobs_of(const sim_study& study);

}  // namespace nearfork::tools
