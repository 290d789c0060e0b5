// What a recorded program would do with other numbers of workers on the machine that runs this command: simulated.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "tools/advice/evidence.hpp"
#include "tools/advice/worker_limits.hpp"
#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {

/// This machine with all its hardware threads, also those that the affinity mask of the process leaves out: the mask is
/// widened for the time of reading, and is as before then. nullptr: the system does not let the process see more, as
/// with a cpuset.
[[nodiscard]] std::shared_ptr<const machine> machine_without_affinity();

/// For each limit, the program with `present` workers and with `wanted` ones, and with one worker on each core if that
/// is between them. Of more workers than hardware threads the simulator knows nothing: there the recorded time stands
/// beside the simulated one. A limit that cannot be simulated has no jobs. Jobs point into this, and into `study`.
class worker_simulations {
 public:
  /// `study`: of a recording. `whole`: as machine_without_affinity(); asked for by a limit of that kind alone.
  worker_simulations(const sim_study& study, const std::string& policy, std::span<const worker_limit> limits,
                     const std::shared_ptr<const machine>& whole);
  worker_simulations(const worker_simulations&) = delete;
  worker_simulations& operator=(const worker_simulations&) = delete;

  [[nodiscard]] const std::vector<simulation_job>& jobs() const noexcept { return jobs_; }
  /// `outcomes`: of jobs(), in their order.
  [[nodiscard]] std::vector<simulated_variant> with(std::span<const simulation_outcome> outcomes) const;

 private:
  struct planned {
    simulated_variant what;
    std::size_t job;
    std::size_t base_job;  // if there is no recorded time
  };
  void add(const worker_limit& limit, const simulated_machine& where);
  std::size_t add_job(const simulated_machine& where, std::uint32_t workers);

  const sim_study& study_;
  std::string policy_;
  std::deque<simulated_machine> machines_{};
  std::vector<simulation_job> jobs_{};
  std::vector<planned> planned_{};
};

}  // namespace nearfork::tools
