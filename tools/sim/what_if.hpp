// What a study says beside its tables: simulated times over several seeds, over several recordings of the program, over
// numbers of workers, and beside the time that was recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {

/// Least, middle and greatest of some numbers.
struct spread {
  double least = 0;
  double middle = 0;
  double most = 0;
  std::size_t count = 0;
};
/// `values` is not empty.
[[nodiscard]] spread spread_of(std::vector<double> values);

/// The simulated time of an iteration under a policy.
struct policy_answer {
  std::string policy;
  std::vector<double> by_seed{};   // the first is that of the tables
  std::vector<double> by_run{};    // over recordings; the first is that of the tables
  spread time_ns;                  // over seeds
  std::optional<spread> gain;      // over random with the same seed, as a fraction; nullopt: random was not simulated
  std::optional<spread> speed_up;  // recorded time by simulated time, over seeds
  std::optional<spread> of_runs;   // the same over recordings: each one's recorded time by its simulated time
  std::optional<spread> gain_of_runs;
};

struct sweep_point {
  std::uint32_t workers = 0;
  std::vector<double> time_ns;  // by policy
};

struct machine_answer {
  std::string machine;
  std::uint32_t workers = 0;
  std::vector<policy_answer> policies;
  std::vector<sweep_point> sweep;             // by workers; the last one has all
  std::vector<std::uint32_t> beyond_cores{};  // numbers of workers that were asked for, more than there are cores
  /// Simulated as it was recorded, it takes this part of the recorded time; set if that is far off.
  std::optional<double> doubt{};
  /// Why it is not known whether that is far off; empty if it is known, or was recorded on another machine.
  std::string unchecked{};
};

/// The machine on which the command runs, simulated with the policy and the workers of the recording.
struct calibration {
  std::optional<double> time_ns{};
  std::string why_not{};      // if there is no time
  bool same_machine = false;  // the recording was made on a machine of the same description
};

struct what_if {
  std::vector<machine_answer> machines;
  std::optional<calibration> here;  // of recordings alone
};

/// As machine_answer::doubt.
[[nodiscard]] std::optional<double> doubt_of(const sim_study& study, const calibration& here);

/// The further simulations that a study needs, beside jobs_of(study). The jobs point into the study.
[[nodiscard]] std::vector<simulation_job> further_jobs_of(const sim_study& study);
/// `outcomes`: those of jobs_of(study). `further`: those of further_jobs_of(study).
[[nodiscard]] what_if answer_of(const sim_study& study, const std::vector<simulation_outcome>& outcomes,
                                const std::vector<simulation_outcome>& further);

/// What a study's simulations gave.
struct study_results {
  std::vector<simulation_outcome> outcomes;  // of jobs_of()
  std::optional<what_if> answer;             // nullopt: some simulation was interrupted
};
/// `all`: the outcomes of jobs_of(), which are `first`, and of further_jobs_of().
[[nodiscard]] study_results results_of(const sim_study& study, std::size_t first, std::vector<simulation_outcome> all);

/// True if the answer says more than the tables of one seed do.
[[nodiscard]] bool says_more(const sim_study& study);

/// The recorded time beside the simulated one of this machine. Empty without a recording.
[[nodiscard]] std::string recorded_text(const sim_study& study, const what_if& answer);
/// What to know of a region whose tasks name no data. One line.
[[nodiscard]] std::string no_data_text(const std::string& region);
/// Spread and sweep of one machine, as tables.
[[nodiscard]] std::string text_of(const sim_study& study, const machine_answer& answer);
/// "Expect 53 us an iteration on opteron-8380 with 16 workers under laws (simulated): ...". One sentence.
[[nodiscard]] std::string expectation_of(const machine_answer& answer);

[[nodiscard]] nlohmann::json json_of(const sim_study& study, const machine_answer& answer);
[[nodiscard]] nlohmann::json recorded_json(const sim_study& study, const what_if& answer);

}  // namespace nearfork::tools
