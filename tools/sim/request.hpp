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
  std::string region{};  // of a recording; empty: the one with the most work in the run
  std::string size{};    // of a workload; empty: "default"
  std::string graph{};   // of a graph program: a file; empty: generated
  std::optional<std::uint64_t> iterations{};
  std::vector<std::string> machines{};  // empty: the live one
  std::vector<std::string> policies{};  // empty: usual_policies(); "all": each
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;                          // 0: as many as each machine grants
  std::vector<std::string> further{};                 // more recordings of the same program
  std::optional<std::uint64_t> seeds{};               // how many; none: some for a recording, one for a workload
  std::optional<std::vector<std::uint32_t>> sweep{};  // numbers of workers, 0: none; none: some for a recording
  bool never_park = false;                            // workers search without end
  std::string scale{};                                // as scale_names(); empty: none
  std::string setup{};                                // empty: that of workloads; of a recording, none
  std::string pages{};                                // as placing_forms(); empty: as the program does
  run_goal goal = run_goal::time;                     // another: clocks are managed
  std::string node_capacity{};                        // as set_node_capacity(); empty: as the machine says
};

/// The rule by which dataflow tasks go unless nearfork is told otherwise; a recording does not say.
inline const std::string usual_flow_rule = "push=input";

/// What is known of a recorded region.
struct recorded_facts {
  double time_ns = 0;  // of an iteration: the mean of those that were recorded
  double work_ns = 0;
  double span_ns = 0;
  std::uint64_t iterations = 0;  // recorded ones
  std::uint32_t workers = 0;
  std::string policy;
  std::string machine;
  bool names_data = false;  // some task has a hint; else its data and their memory cannot be simulated
  std::optional<std::vector<sim::task_graph>> setup{};  // as recorded, if the study has another one

  /// True if the recording was made on a machine that is described as this one is, however much memory it has.
  [[nodiscard]] bool is_made_on(const simulated_machine& where) const {
    return machine.starts_with(where.what->shape() + ", ");
  }
};

/// How much of the recorded work is waits for memory, and was taken out (memory_waits.hpp).
struct memory_waits {
  std::string machine{};    // on which the waits were found
  double part_of_work = 0;  // from 0 to 1
  std::string why_not{};    // nothing was taken out
};

/// A further recording of the same program.
struct recorded_subject {
  std::string file;
  sim::program what;
  std::optional<sim::recorded_flow> flow{};
  recorded_facts facts;
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
  run_goal goal = run_goal::time;
  bool never_park = false;
  std::uint32_t line_stands_for = 1;  // on all machines
  sim::setup_kind setup = sim::setup_kind::none;
  sim::page_placing placing{};
  std::string node_capacity{};
  std::vector<std::string> policies;
  std::vector<simulated_machine> machines;
  std::vector<sim::program> programs;  // by machine, or one program for all
  std::uint64_t seeds = 1;
  std::optional<std::vector<std::uint32_t>> sweep{};  // numbers of workers, ascending; nullopt: powers of two and all
  std::optional<recorded_facts> recorded{};           // of recordings
  std::optional<sim::recorded_flow> flow{};  // of a recorded region with dataflow tasks: simulated instead of programs
  std::vector<recorded_subject> further{};
  std::optional<simulated_machine> here{};  // this machine; of recordings
  std::string no_here{};                    // why the recording cannot be simulated on it; empty: it can
  std::optional<memory_waits> waits{};      // of recordings whose tasks name data
  bool is_large = false;                    // so one seed and no sweep unless asked for

  [[nodiscard]] const sim::program& program_on(std::size_t machine) const {
    return programs.size() == 1 ? programs.front() : programs.at(machine);
  }
  /// True if results tell where pages lie, even if each lies where it was wanted.
  [[nodiscard]] bool tells_pages() const noexcept {
    return placing.how != sim::placing_rule::first_write || !node_capacity.empty();
  }
  /// nullptr: programs are simulated.
  [[nodiscard]] const sim::recorded_flow* flow_or_none() const noexcept { return flow ? &*flow : nullptr; }
  /// One on each hardware thread; dataflow tasks are simulated with one worker on each core.
  [[nodiscard]] std::size_t most_workers(const machine& where) const noexcept {
    return flow ? where.cores().size() : where.pus().size();
  }
  [[nodiscard]] bool sweeps() const noexcept { return !sweep || !sweep->empty(); }
  /// Throws: nearfork::error if no machine has as many cores as the sweep's largest number. Smaller machines have a
  /// part of the sweep.
  void check_sweep() const;
  /// The numbers of workers of the sweep, ascending: those that were asked for, as far as the machine has cores; or the
  /// powers of two below `workers`, and `workers`.
  [[nodiscard]] std::vector<std::uint32_t> sweep_up_to(std::uint32_t workers, std::uint32_t cores) const;
  /// Those that were asked for beyond that.
  [[nodiscard]] std::vector<std::uint32_t> sweep_beyond(std::uint32_t cores) const;
  /// True if the recording was made on a machine that is described as this one is.
  [[nodiscard]] bool recorded_here() const;
};

[[nodiscard]] std::vector<std::string> usual_policies();

/// The size of a recorded program: "1023 tasks".
[[nodiscard]] std::string tasks_text(const sim::program& recorded);

/// True if the subject is the path of a recording; else it is a workload's name.
[[nodiscard]] bool is_recording(const std::string& subject);

/// Throws: nearfork::error if a workload, size, machine or policy is unknown, there are more workers than cores, or the
/// machine has too little memory for the program.
[[nodiscard]] sim_study study_from(const sim_request& request);

/// Why the study's recording cannot be simulated there as it was recorded; empty if it can. Says nothing of pages.
[[nodiscard]] std::string hindrance_on(const sim_study& study, const simulated_machine& where);

/// By machine, then by policy. The jobs point into `study`.
[[nodiscard]] std::vector<simulation_job> jobs_of(const sim_study& study);

}  // namespace nearfork::tools
