#include "tools/sim/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "plan/plans/policy.hpp"
#include "recording/recording_file.hpp"
#include "sim/programs/recorded_program.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "tools/workload_words.hpp"

namespace nearfork::tools {
namespace {

/// Enough to be profiled, tuned and settled. Sizes have up to 2000.
constexpr std::uint64_t usual_iterations = 30;

const workloads::workload& find_simulated(const std::string& name) {
  const auto known = simulated_workloads();
  const std::vector<std::string> names(known.begin(), known.end());
  if (std::ranges::find(names, name) != names.end()) return workloads::find_workload(name);
  throw error("nearfork: no workload that is simulated is called " + nearfork::quoted(name) + suggestion(name, names));
}

std::vector<std::string> policies_from(const sim_request& request) {
  if (request.policies.empty()) return usual_policies();
  if (request.policies == std::vector<std::string>{"all"}) return policy_names();
  for (const std::string& name : request.policies) (void)make_policy(name);
  return request.policies;
}

std::uint64_t iterations_from(const sim_request& request, std::uint64_t of_size) {
  const std::uint64_t wanted =
      request.iterations.value_or(of_size == 1 ? usual_iterations : std::min(of_size, usual_iterations));
  if (wanted >= 1 && wanted <= most_simulated_iterations) return wanted;
  throw error(fmt::format("nearfork: --iterations {}: 1 to {} can be simulated", wanted, most_simulated_iterations));
}

}  // namespace

std::vector<std::string> usual_policies() {
  return {"random", "acab", "laws", "auto"};
}

namespace {

/// The parts that do not depend on the subject.
sim_study study_of(const sim_request& request, std::uint64_t size_iterations) {
  sim_study made{.subject = request.subject,
                 .description = {},
                 .size = {},
                 .size_iterations = size_iterations,
                 .iterations = iterations_from(request, size_iterations),
                 .bytes = 0,
                 .seed = request.seed,
                 .workers = request.workers,
                 .policies = policies_from(request),
                 .machines = {},
                 .programs = {}};
  for (const std::string& name : request.machines.empty() ? std::vector<std::string>{""} : request.machines) {
    made.machines.push_back(machine_to_simulate(name));
    check_workers(made.machines.back(), request.workers);
  }
  return made;
}

sim_study study_of_workload(const sim_request& request) {
  if (!request.region.empty())
    throw error("nearfork: --region: a workload has one region; only recordings (.nfg) may have several");
  const workloads::workload& what = find_simulated(request.subject);
  const workloads::size_values size =
      size_of_workload(what.name, what.sizes, request.size.empty() ? "default" : request.size);
  sim_study made = study_of(request, iterations_of(what, size));
  made.description = what.description;
  made.size = workloads::size_text(what.sizes, size);
  // The workload also holds its answer, so it takes no less than the simulated program.
  for (const simulated_machine& where : made.machines) check_it_fits(where, made.subject, what.bytes(size));
  for (const simulated_machine& where : made.machines)
    made.programs.push_back(simulated_program(
        what, {.size = size, .seed = request.seed, .speed = where.speed, .iterations = made.iterations}));
  return made;
}

sim_study study_of_recording(const sim_request& request) {
  if (!request.size.empty()) throw error("nearfork: --size: a recording has the size that it was made with");
  sim::program recorded = sim::program_from(recordings::load_recording(request.subject), request.region);
  sim_study made = study_of(request, recorded.course.size());
  made.description = fmt::format("region \"{}\", as recorded", recorded.name);
  made.size = fmt::format("{} tasks", recorded.graph_of(0).size());
  for (const simulated_machine& where : made.machines) check_it_fits(where, made.subject, recorded.data_bytes());
  made.programs.push_back(std::move(recorded));
  return made;
}

}  // namespace

sim_study study_from(const sim_request& request) {
  sim_study made = request.subject.ends_with(".nfg") ? study_of_recording(request) : study_of_workload(request);
  made.bytes = made.programs.front().data_bytes();
  return made;
}

std::vector<simulation_job> jobs_of(const sim_study& study) {
  std::vector<simulation_job> jobs;
  for (std::size_t i = 0; i < study.machines.size(); ++i)
    for (const std::string& policy : study.policies)
      jobs.push_back({.title = fmt::format("{} under {} on {}", study.subject, policy, study.machines[i].name),
                      .what = &study.program_on(i),
                      .where = &study.machines[i],
                      .policy = policy,
                      .iterations = study.iterations,
                      .seed = study.seed,
                      .workers = study.workers});
  return jobs;
}

}  // namespace nearfork::tools
