#include "tools/sim/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "plan/plans/policy.hpp"
#include "recording/recording_file.hpp"
#include "sim/machine/scaled_model.hpp"
#include "sim/memory/pages/page_rooms.hpp"
#include "sim/programs/recorded_program.hpp"
#include "tools/graph_files/graph_file.hpp"
#include "tools/options.hpp"
#include "tools/sim/node_capacity.hpp"
#include "tools/sim/scale.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "tools/workload_words.hpp"
#include "workloads/memory.hpp"

namespace nearfork::tools {
namespace {

/// Enough to be profiled, tuned and settled. Sizes have up to 2000.
constexpr std::uint64_t usual_iterations = 30;

const workloads::workload& find_simulated(const std::string& name) {
  const auto known = simulated_workloads();
  const std::vector<std::string> names(known.begin(), known.end());
  if (std::ranges::find(names, name) != names.end()) return workloads::find_workload(name);
  if (std::error_code unknown; name.find('/') != name.npos || std::filesystem::exists(name, unknown))
    throw error("nearfork: " + nearfork::quoted(name) + " is no workload, and the name of a recording ends in .nfg");
  throw error("nearfork: no workload that is simulated is called " + nearfork::quoted(name) + suggestion(name, names));
}

/// Of a recording with dataflow tasks. What a task writes decides where buffers have their places before.
std::vector<std::string> flow_rules_from(const sim_request& request, bool has_buffers) {
  if (request.policies.empty()) {
    std::vector<std::string> made{"random", "push=none", "push=input"};
    if (has_buffers) made.insert(made.end(), {"push=output", "push=weighted"});
    return made;
  }
  sim::dataflow_settings scratch;
  std::vector<std::string> rules = with_all(request.policies, sim::flow_rule_names());
  for (const std::string& name : rules) sim::follow_rule(scratch, name);
  return rules;
}

std::vector<std::string> policies_from(const sim_request& request) {
  if (request.policies.empty()) return usual_policies();
  std::vector<std::string> policies = with_all(request.policies, policy_names());
  for (const std::string& name : policies) (void)make_policy(name);
  return policies;
}

std::uint64_t iterations_from(const sim_request& request, std::uint64_t of_size) {
  const std::uint64_t wanted =
      request.iterations.value_or(of_size == 1 ? usual_iterations : std::min(of_size, usual_iterations));
  if (wanted >= 1 && wanted <= most_simulated_iterations) return wanted;
  throw error(fmt::format("nearfork: --iterations {}: 1 to {} can be simulated", wanted, most_simulated_iterations));
}

}  // namespace

bool is_recording(const std::string& subject) {
  return subject.ends_with(".nfg");
}

std::string tasks_text(const sim::program& recorded) {
  return fmt::format("{} tasks", recorded.graph_of(0).size());
}

std::vector<std::string> usual_policies() {
  return {"random", "acab", "laws", "auto"};
}

namespace {

/// More tasks than these take seconds to simulate once.
constexpr std::size_t many_tasks = 100'000;
constexpr std::uint64_t usual_seeds = 5;

/// What is simulated beside one seed and one number of workers.
void add_variety(sim_study& made, const sim_request& request, bool usually) {
  made.seeds = request.seeds.value_or(usually ? usual_seeds : 1);
  if (request.sweep) {
    made.sweep = *request.sweep;
    std::erase(*made.sweep, 0);
    std::ranges::sort(*made.sweep);
    made.sweep->erase(std::ranges::unique(*made.sweep).begin(), made.sweep->end());
    made.check_sweep();
  } else if (!usually) {
    made.sweep.emplace();
  }
}

recorded_facts facts_of(const recordings::recording& recorded, const std::string& region) {
  const auto& one = *std::ranges::find(recorded.regions, region, &recordings::region::name);
  recorded_facts made{.iterations = one.recorded.size(),
                      .workers = static_cast<std::uint32_t>(recorded.workers),
                      .policy = recorded.policy,
                      .machine = recorded.machine};
  const auto count = static_cast<double>(one.recorded.size());
  for (const recordings::iteration& each : one.recorded) {
    made.time_ns += static_cast<double>(each.duration_ns) / count;
    made.work_ns += static_cast<double>(each.graph.work_ns()) / count;
    made.span_ns += static_cast<double>(each.graph.span_ns()) / count;
    made.names_data = made.names_data || each.graph.access_count() > 0;
  }
  return made;
}

/// Gives a recording's program the setup of that name; empty: as recorded. Of another one `facts` keep what it was.
sim::setup_kind give_setup(sim::program& recorded, recorded_facts& facts, const std::string& name) {
  const sim::setup_kind wanted = name.empty() ? sim::setup_kind::recorded : sim::setup_called(name);
  if (wanted == sim::setup_kind::recorded) {
    if (!recorded.setup.empty()) return wanted;
    if (name.empty()) return sim::setup_kind::none;
    throw error("nearfork: --setup recorded: no region with data ran before region \"" + recorded.name +
                "\", as far as the recording knows");
  }
  if (needs_tasks(wanted))
    throw error("nearfork: --setup " + name + ": a recording has the tasks of its own regions alone: recorded");
  facts.setup = recorded.setup;
  set_up(recorded, wanted);
  return wanted;
}

/// nullopt: the region has no dataflow tasks.
std::optional<sim::recorded_flow> flow_of(std::shared_ptr<const recordings::recording> recorded,
                                          const std::string& region, sim::setup_kind setup,
                                          const sim::page_placing& placing) {
  if (!sim::has_dataflow(sim::recorded_region(*recorded, region))) return std::nullopt;
  const bool is_recorded = setup == sim::setup_kind::recorded;
  return sim::recorded_flow{.recorded = std::move(recorded),
                            .region = region,
                            .is_set_up = is_recorded,
                            .pages = {.placing = placing, .stand_in = is_recorded ? sim::setup_kind::none : setup}};
}

/// Throws: nearfork::error if the request is about what dataflow tasks do not go by.
void check_flow(const sim_study& made) {
  if (!made.flow) return;
  const auto refuse = [&](std::string_view flag, std::string_view why) {
    throw error(fmt::format("nearfork: {}: region {} has dataflow tasks, {}; leave it out", flag,
                            nearfork::quoted(made.flow->region), why));
  };
  if (made.placing.how == sim::placing_rule::follow_plan) refuse("--pages follow-plan", "which go by no plan");
  if (made.goal != run_goal::time) refuse("--goal", "whose simulation has one clock");
  for (const simulated_machine& where : made.machines)
    if (const std::size_t most = made.most_workers(*where.what); made.workers > most)
      throw error(
          fmt::format("nearfork: --workers {}: dataflow tasks are simulated with one worker on each core, and {} "
                      "has {}",
                      made.workers, where.name, counted(most, "core")));
}

/// Why this machine cannot be simulated with the recording's pages, policy and workers; empty if it can.
std::string hindrance_here(const sim_study& made) {
  if (!made.recorded->names_data) return hindrance_on(made, *made.here);
  if (made.placing.how != sim::placing_rule::first_write) return "--pages puts its pages elsewhere";
  if (made.setup != sim::setup_kind::none && made.setup != sim::setup_kind::recorded)
    return fmt::format("--setup {} puts its pages elsewhere", name_of(made.setup));
  return hindrance_on(made, *made.here);
}

recorded_subject further_recording(const std::string& file, const std::string& region, const std::string& setup,
                                   const sim::page_placing& placing) {
  const auto loaded = std::make_shared<const recordings::recording>(recordings::load_recording(file));
  recorded_subject made{.file = file, .what = sim::program_from(*loaded, region), .flow = {}, .facts = {}};
  made.facts = facts_of(*loaded, made.what.name);
  const sim::setup_kind given = give_setup(made.what, made.facts, setup);
  made.flow = flow_of(loaded, made.what.name, given, placing);
  return made;
}

simulated_machine scaled_machine(const sim_study& study, const std::string& specification) {
  simulated_machine made = machine_to_simulate(specification);
  made.model = sim::scaled(*made.what, made.model, study.line_stands_for);
  return made;
}

simulated_machine machine_for(const sim_study& study, const std::string& specification) {
  simulated_machine made = scaled_machine(study, specification);
  set_node_capacity(made, study.node_capacity);
  return made;
}

/// Throws: nearfork::error if a machine lacks what the rule needs, or if the setup has placed the pages already. Pages
/// that follow plans may lie anywhere before.
void check_placing(const sim_study& made) {
  if (made.placing.how == sim::placing_rule::first_write) return;
  for (const simulated_machine& where : made.machines) require_fit(made.placing, *where.what, where.model);
  const bool are_placed = made.setup == sim::setup_kind::quarters || made.setup == sim::setup_kind::interleaved;
  if (!are_placed || made.placing.how == sim::placing_rule::follow_plan) return;
  throw error(fmt::format("nearfork: --setup {} and --pages {} both say where pages lie; leave one of them out",
                          name_of(made.setup), text_of(made.placing)));
}

/// Throws: nearfork::error if the goal needs clocks, or energy, that the machine's model does not know.
void check_clocks(const simulated_machine& where, run_goal goal) {
  if (goal == run_goal::time || can_share_power(where.model)) return;
  throw error(
      fmt::format("nearfork: --goal {}: the model of {} does not say which clocks its cores can have (core_ghz_min, "
                  "core_ghz_max) and what they draw (core_busy_w, core_idle_w); docs/MACHINES.md has the "
                  "machines that do",
                  name_of(goal), where.name));
}

/// The parts that do not depend on the subject.
sim_study study_of(const sim_request& request, std::uint64_t size_iterations, std::vector<std::string> policies) {
  sim_study made{.subject = request.subject,
                 .description = {},
                 .size = {},
                 .size_iterations = size_iterations,
                 .iterations = iterations_from(request, size_iterations),
                 .bytes = 0,
                 .seed = request.seed,
                 .workers = request.workers,
                 .goal = request.goal,
                 .never_park = request.never_park,
                 .line_stands_for = scale_called(request.scale),
                 .setup = sim::setup_kind::none,
                 .placing = request.pages.empty() ? sim::page_placing{} : sim::placing_called(request.pages),
                 .node_capacity = request.node_capacity,
                 .policies = std::move(policies),
                 .machines = {},
                 .programs = {}};
  if (!request.further.empty() && !is_recording(request.subject))
    throw error("nearfork: " + request.subject + " is a workload; only recordings (.nfg) may be followed by others");
  for (const std::string& name : request.machines.empty() ? std::vector<std::string>{""} : request.machines) {
    made.machines.push_back(machine_for(made, name));
    if (request.never_park) made.machines.back().model.costs.spin_ps = sim::never;
    check_workers(made.machines.back(), request.workers);
    check_clocks(made.machines.back(), request.goal);
  }
  return made;
}

/// Throws: nearfork::error if the workload takes no graph, or the file is wrong.
workloads::instance_input input_of(const workloads::workload& what, const sim_request& request) {
  workloads::instance_input made{.seed = request.seed, .arrays = {}, .graph = {}};
  if (request.graph.empty()) return made;
  if (!what.takes_graph) throw error(fmt::format("nearfork: --graph: {} works on no graph", what.name));
  made.graph = read_graph_file(request.graph, workloads::available_memory());
  return made;
}

sim_study study_of_workload(const sim_request& request) {
  if (!request.region.empty())
    throw error("nearfork: --region: a workload has one region; only recordings (.nfg) may have several");
  const workloads::workload& what = find_simulated(request.subject);
  const workloads::instance_input input = input_of(what, request);
  const workloads::size_values size =
      size_of_workload(what.name, what.sizes, request.size.empty() ? "default" : request.size, input.graph != nullptr);
  sim_study made = study_of(request, iterations_of(what, size), policies_from(request));
  made.description = what.description;
  made.size = workloads::size_text(what, size, input) + (input.graph ? ", " + graph_text(*input.graph) : "");
  made.setup = request.setup.empty() ? setup_of_workloads : sim::setup_called(request.setup);
  if (made.setup == sim::setup_kind::recorded)
    throw error("nearfork: --setup recorded: " + request.subject + " is a workload; only recordings (.nfg) have that");
  add_variety(made, request, false);
  // The workload also holds its answer, as many bytes at most. What cannot fit is refused before its tasks are made.
  for (const simulated_machine& where : made.machines)
    check_it_fits(where, made.subject, what.bytes(size, input) / 2, "at least ");
  for (const simulated_machine& where : made.machines) {
    made.programs.push_back(simulated_program(what, {.size = size,
                                                     .seed = request.seed,
                                                     .speed = where.speed,
                                                     .iterations = made.iterations,
                                                     .setup = made.setup,
                                                     .graph = input.graph}));
    check_it_fits(where, made.subject, made.programs.back().data_bytes());
  }
  return made;
}

/// Throws: nearfork::error also if one recording has dataflow tasks and the other has none.
recorded_subject further_like(const sim_study& first, const std::string& file, const std::string& region,
                              const std::string& setup) {
  recorded_subject made = further_recording(file, region, setup, first.placing);
  if (made.flow.has_value() != first.flow.has_value())
    throw error(fmt::format("nearfork: region {} has dataflow tasks in {} alone; give recordings of the same program",
                            nearfork::quoted(region), made.flow ? file : first.subject));
  return made;
}

/// One file that counts twice would make runs of the program look more alike than they are.
void check_no_file_twice(const sim_request& request) {
  std::vector<std::string> seen{request.subject};
  for (const std::string& file : request.further) {
    std::error_code missing;  // told by who reads the file
    for (const std::string& other : seen)
      if (std::filesystem::equivalent(file, other, missing))
        throw error("nearfork: " + file + (file == other ? " is given twice" : " is the same file as " + other) +
                    "; give one file for each run, as nearfork record --keep-all makes them");
    seen.push_back(file);
  }
}

sim_study study_of_recording(const sim_request& request) {
  if (!request.graph.empty()) throw error("nearfork: --graph: a recording has the data that it was made with");
  if (!request.size.empty()) throw error("nearfork: --size: a recording has the size that it was made with");
  check_no_file_twice(request);
  const auto whole = std::make_shared<const recordings::recording>(recordings::load_recording(request.subject));
  const recordings::recording& loaded = *whole;
  sim::program recorded = sim::program_from(loaded, request.region);
  const bool is_flow = sim::has_dataflow(sim::recorded_region(loaded, recorded.name));
  sim_study made = study_of(request, recorded.course.size(),
                            is_flow ? flow_rules_from(request, !loaded.buffers.empty()) : policies_from(request));
  made.recorded = facts_of(loaded, recorded.name);
  made.setup = give_setup(recorded, *made.recorded, request.setup);
  made.flow = flow_of(whole, recorded.name, made.setup, made.placing);
  made.description = fmt::format("region \"{}\", as recorded", recorded.name);
  made.size = tasks_text(recorded);
  made.is_large = recorded.graph_of(0).size() > many_tasks;
  add_variety(made, request, !made.is_large);
  for (const std::string& file : request.further)
    made.further.push_back(further_like(made, file, recorded.name, request.setup));
  made.here = scaled_machine(made, "");  // as it is: what is said of other machines' memory is not about this one
  made.no_here = hindrance_here(made);
  for (const simulated_machine& where : made.machines) check_it_fits(where, made.subject, recorded.data_bytes());
  made.programs.push_back(std::move(recorded));
  return made;
}

}  // namespace

sim_study study_from(const sim_request& request) {
  sim_study made = is_recording(request.subject) ? study_of_recording(request) : study_of_workload(request);
  made.bytes = made.programs.front().data_bytes();
  check_placing(made);
  check_flow(made);
  for (sim::program& one : made.programs) one.placing = made.placing;
  for (recorded_subject& one : made.further) one.what.placing = made.placing;
  for (std::size_t i = 0; i < made.machines.size(); ++i) check_scale(made.program_on(i), made.machines[i]);
  return made;
}

bool sim_study::recorded_here() const {
  return recorded && here && recorded->is_made_on(*here);
}

std::string hindrance_on(const sim_study& study, const simulated_machine& where) {
  const recorded_facts& recorded = *study.recorded;
  const auto known = policy_names();
  if (!study.flow && std::ranges::find(known, recorded.policy) == known.end())
    return fmt::format("its policy {} is not simulated", recorded.policy);
  if (const std::size_t most = study.most_workers(*where.what); recorded.workers > most)
    return fmt::format("it was recorded with {}, and {} has {}", counted(recorded.workers, "worker"), where.name,
                       counted(most, study.flow ? "core" : "hardware thread"));
  return {};
}

std::vector<simulation_job> jobs_of(const sim_study& study) {
  std::vector<simulation_job> jobs;
  for (std::size_t i = 0; i < study.machines.size(); ++i)
    for (const std::string& policy : study.policies)
      jobs.push_back({.title = fmt::format("{} under {} on {}", study.subject, policy, study.machines[i].name),
                      .what = &study.program_on(i),
                      .flow = study.flow_or_none(),
                      .where = &study.machines[i],
                      .policy = policy,
                      .iterations = study.iterations,
                      .seed = study.seed,
                      .workers = study.workers,
                      .goal = study.goal});
  return jobs;
}

}  // namespace nearfork::tools
