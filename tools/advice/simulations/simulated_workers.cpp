#include "tools/advice/simulations/simulated_workers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "machine/live/affinity.hpp"
#include "sim/machine/scaled_model.hpp"
#include "tools/sim/results/summary.hpp"

namespace nearfork::tools {
namespace {

using cause = worker_limit::cause;

/// The mean of so many steady iterations tells numbers of workers apart.
constexpr std::size_t steady_of_workers = 6;

/// The recorded run had these workers, and its tasks work for half of the time at least: else most of it is in what the
/// simulator does not have, whatever the number of workers, as is_explained() says.
bool tells_of_turns(const sim_study& study, std::uint32_t workers) {
  return study.recorded && study.recorded->workers == workers &&
         study.recorded->work_ns >= 0.5 * study.recorded->time_ns;
}

/// The given number, and one for each core if those are fewer: two workers on a core may be slower than one.
std::vector<std::uint32_t> numbers_to_try(std::uint32_t more_than, std::uint32_t wanted, std::uint32_t cores) {
  std::vector<std::uint32_t> made;
  if (wanted > more_than) made.push_back(wanted);
  if (cores < wanted && cores > more_than) made.push_back(cores);
  return made;
}

simulated_machine as_simulated(const std::shared_ptr<const machine>& what, std::uint32_t line_stands_for) {
  const sim::machine_model model = sim::scaled(*what, sim::model_of(*what), line_stands_for);
  return {.name = "this machine without the affinity mask", .what = what, .model = model, .speed = speed_of(model)};
}

}  // namespace

std::shared_ptr<const machine> machine_without_affinity() {
  std::vector<unsigned long> mask;
  if (read_affinity(mask) != 0) return nullptr;
  const std::size_t before = load_machine({})->pus().size();
  if (restore_affinity(std::vector<unsigned long>(mask.size(), ~0UL)) != 0) return nullptr;
  std::shared_ptr<const machine> whole;
  try {
    whole = load_machine({});
  } catch (const error&) {
    whole = nullptr;  // the mask comes first; without this machine the gain is not known, and advice says that
  }
  if (restore_affinity(mask) != 0)
    throw error("nearfork: the affinity mask of this command was widened, and the system refuses to set it as before");
  (void)load_machine({});  // it keeps what was read last
  return whole != nullptr && whole->pus().size() > before ? whole : nullptr;
}

worker_simulations::worker_simulations(const sim_study& study, const std::string& policy,
                                       std::span<const worker_limit> limits,
                                       const std::shared_ptr<const machine>& whole)
    : study_(study), policy_(policy) {
  for (const worker_limit& limit : limits) {
    if (limit.why != cause::affinity) {
      if (study.here) add(limit, *study.here);
    } else if (whole != nullptr && study.here) {
      machines_.push_back(as_simulated(whole, study.line_stands_for));
      add(limit, machines_.back());
    }
  }
}

void worker_simulations::add(const worker_limit& limit, const simulated_machine& where) {
  const auto most = static_cast<std::uint32_t>(study_.most_workers(*where.what));
  const auto most_here = static_cast<std::uint32_t>(study_.most_workers(*study_.here->what));
  const auto cores = static_cast<std::uint32_t>(where.what->cores().size());
  const bool is_beside_recorded = limit.why == cause::oversubscription;
  if (is_beside_recorded && !tells_of_turns(study_, limit.run)) return;
  const std::uint32_t present = std::min(limit.present, most_here);
  const auto tried = numbers_to_try(is_beside_recorded ? 0 : present, std::min(limit.wanted, most), cores);
  if (tried.empty()) return;
  const std::size_t base_job = is_beside_recorded ? 0 : add_job(*study_.here, present);
  for (const std::uint32_t workers : tried)
    planned_.push_back({.what = {.what = simulated_variant::change::workers,
                                 .value = name_of(limit.why),
                                 .machine = where.name,
                                 .base_ns = is_beside_recorded ? study_.recorded->time_ns : 0,
                                 .workers = workers,
                                 .base_workers = is_beside_recorded ? limit.run : present},
                        .job = add_job(where, workers),
                        .base_job = base_job});
}

std::size_t worker_simulations::add_job(const simulated_machine& where, std::uint32_t workers) {
  jobs_.push_back({.title = fmt::format("{} with {} workers on {}", study_.subject, workers, where.name),
                   .what = &study_.program_on(0),
                   .flow = study_.flow_or_none(),
                   .where = &where,
                   .policy = policy_,
                   .iterations = study_.iterations,
                   .seed = study_.seed,
                   .workers = workers,
                   .ends = {steady_of_workers}});
  return jobs_.size() - 1;
}

std::vector<simulated_variant> worker_simulations::with(std::span<const simulation_outcome> outcomes) const {
  std::vector<simulated_variant> made;
  for (const planned& one : planned_) {
    simulated_variant& what = made.emplace_back(one.what);
    what.time_ns = summarize(outcomes[one.job]).per_iteration.time_ns;
    if (what.base_ns == 0) what.base_ns = summarize(outcomes[one.base_job]).per_iteration.time_ns;
  }
  return made;
}

}  // namespace nearfork::tools
