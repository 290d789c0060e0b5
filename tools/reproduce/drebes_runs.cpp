#include "tools/reproduce/drebes_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>

#include <nearfork/error.hpp>

#include "sim/machine/scaled_model.hpp"
#include "workloads/dataflow/patterns.hpp"

namespace nearfork::tools {
namespace {

using namespace workloads;

constexpr std::uint32_t lines_of_one = 16;
constexpr std::uint32_t steps_of_stencils = 60;  // table 3
constexpr std::uint32_t quick_steps = 12;

bool is_quick(reproduction_extent extent) {
  return extent == reproduction_extent::quick;
}
std::uint32_t steps(reproduction_extent extent) {
  return is_quick(extent) ? quick_steps : steps_of_stencils;
}

/// An eighth of the blocks if quick.
block_grid grid_of(std::array<std::uint32_t, 3> elements, std::array<std::uint32_t, 3> shape,
                   reproduction_extent extent) {
  block_grid made{.blocks = {}, .shape = shape};
  for (std::size_t d = 0; d < 3; ++d) made.blocks[d] = elements[d] / shape[d];
  for (int halved = 0; is_quick(extent) && halved < 3; ++halved) *std::ranges::max_element(made.blocks) /= 2;
  return made;
}

using elements = std::array<std::uint32_t, 3>;
constexpr elements long_line{1U << 28, 1, 1};
constexpr elements square{1U << 14, 1U << 14, 1};
constexpr elements cuboid{1U << 10, 1U << 9, 1U << 9};

elements shape_of(drebes_machine on, elements opteron, elements sgi) {
  return on == drebes_machine::opteron ? opteron : sgi;
}

constexpr flow_benchmark benchmarks[] = {
    {"jacobi-1d",
     [](drebes_machine, reproduction_extent extent) {
       return jacobi_pattern(grid_of(long_line, {1 << 16, 1, 1}, extent), steps(extent));
     }},
    {"jacobi-2d",
     [](drebes_machine on, reproduction_extent extent) {
       return jacobi_pattern(grid_of(square, shape_of(on, {1 << 10, 1 << 6, 1}, {1 << 8, 1 << 8, 1}), extent),
                             steps(extent));
     }},
    {"jacobi-3d",
     [](drebes_machine on, reproduction_extent extent) {
       return jacobi_pattern(grid_of(cuboid, shape_of(on, {1 << 5, 1 << 6, 1 << 5}, {1 << 4, 1 << 6, 1 << 6}), extent),
                             steps(extent));
     }},
    {"seidel-1d",
     [](drebes_machine, reproduction_extent extent) {
       return seidel_pattern(grid_of(long_line, {1 << 16, 1, 1}, extent), steps(extent));
     }},
    {"seidel-2d",
     [](drebes_machine on, reproduction_extent extent) {
       return seidel_pattern(grid_of(square, shape_of(on, {1 << 8, 1 << 8, 1}, {1 << 7, 1 << 9, 1}), extent),
                             steps(extent));
     }},
    {"seidel-3d",
     [](drebes_machine on, reproduction_extent extent) {
       return seidel_pattern(grid_of(cuboid, shape_of(on, {1 << 6, 1 << 5, 1 << 5}, {1 << 4, 1 << 8, 1 << 4}), extent),
                             steps(extent));
     }},
    {"kmeans",
     [](drebes_machine, reproduction_extent extent) {
       return kmeans_pattern({.blocks = is_quick(extent) ? 512U : 4096U,
                              .block_points = 10'000,
                              .dimensions = 10,
                              .clusters = 11,
                              .iterations = 10});
     }},
    // The paper's image on the SGI is four times as large: a block costs the same, and the simulation would need 50 GB.
    {"blur-roberts",
     [](drebes_machine on, reproduction_extent extent) {
       return blur_roberts_pattern(
           grid_of({1 << 15, 1 << 15, 1}, shape_of(on, {1 << 9, 1 << 6, 1}, {1 << 10, 1 << 6, 1}), extent));
     }},
    {"bitonic", [](drebes_machine,
                   reproduction_extent extent) { return bitonic_pattern(is_quick(extent) ? 512 : 4096, 1 << 16); }},
    {"cholesky",
     [](drebes_machine, reproduction_extent extent) { return cholesky_pattern(is_quick(extent) ? 16 : 32, 256); }},
};

constexpr flow_configuration configurations[] = {
    {.name = "dsa-base"},
    {.name = "input", .push = push_heuristic::input},
    {.name = "output", .push = push_heuristic::output},
    {.name = "weighted", .push = push_heuristic::weighted},
    {.name = "dfa", .allocation = buffer_allocation::deferred},
    {.name = "dsa-opt", .push = push_heuristic::input, .allocation = buffer_allocation::deferred},
    {.name = "flat", .victims = sim::victim_choice::flat},
    {.name = "shm-base", .use = flow_memory_use::shm},
    {.name = "shm+balancing", .use = flow_memory_use::shm, .balancing = true},
};

/// How much longer a write to local memory takes than a read.
double output_weight(const sim::machine_model& model) {
  constexpr double unknown = 1.5;
  if (model.write_ps.empty() || model.memory_ps.empty()) return unknown;
  return static_cast<double>(model.write_ps.front()) / static_cast<double>(model.memory_ps.front());
}

sim::dataflow_settings settings_of(const simulated_machine& where, const flow_configuration& how, std::uint64_t seed) {
  sim::dataflow_settings made;
  made.model = where.model;
  made.activation.push = how.push;
  made.activation.output_weight = output_weight(where.model);
  made.allocation = how.allocation;
  made.victims = how.victims;
  made.seed = seed;
  if (how.balancing) made.balancing.emplace();
  return made;
}

/// Runs the configurations of one benchmark on several threads.
class benchmark_runner {
 public:
  benchmark_runner(const simulated_machine& where, const flow_pattern& pattern, std::uint64_t seed, flow_watcher watch)
      : where_(where),
        dsa_(flow_program(pattern, flow_memory_use::dsa, where.speed)),
        shm_(flow_program(pattern, flow_memory_use::shm, where.speed)),
        seed_(seed),
        watch_(std::move(watch)),
        made_(std::size(configurations)),
        done_(std::size(configurations)) {}

  std::vector<sim::dataflow_report> run(unsigned threads) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
    work();
    others.clear();  // joins
    if (failure_) std::rethrow_exception(failure_);
    return std::move(made_);
  }

 private:
  void work() {
    for (std::size_t i; (i = next_.fetch_add(1)) < made_.size();) try {
        const flow_configuration& how = configurations[i];
        sim::dataflow_settings settings = settings_of(where_, how, seed_);
        settings.goes_on = [&, i](double done) {
          tell(i, done);
          return true;
        };
        made_[i] = sim::run_dataflow(how.use == flow_memory_use::dsa ? dsa_ : shm_, *where_.what, settings);
        tell(i, 1);
      } catch (...) {
        const std::scoped_lock one_at_a_time(telling_);
        failure_ = std::current_exception();
        next_ = made_.size();
      }
  }

  void tell(std::size_t i, double done) {
    const std::scoped_lock one_at_a_time(telling_);
    done_[i] = done;
    double sum = 0;
    for (const double one : done_) sum += one;
    if (watch_) watch_(configurations[i].name, sum / static_cast<double>(done_.size()));
  }

  const simulated_machine& where_;
  sim::dataflow_program dsa_, shm_;
  std::uint64_t seed_;
  flow_watcher watch_;
  std::vector<sim::dataflow_report> made_;  // by configuration
  std::vector<double> done_;                // by configuration
  std::atomic<std::size_t> next_{0};
  std::mutex telling_;
  std::exception_ptr failure_;
};

}  // namespace

std::span<const flow_benchmark> flow_benchmarks() noexcept {
  return benchmarks;
}

std::span<const flow_configuration> flow_configurations() noexcept {
  return configurations;
}

simulated_machine scaled_machine(const simulated_machine& where) {
  simulated_machine made = where;
  made.model = sim::scaled(*where.what, where.model, lines_of_one);
  return made;
}

flow_runs run_flow_benchmark(const simulated_machine& where, const named_pattern& what,
                             const reproduction_settings& settings, const flow_watcher& watch) {
  benchmark_runner runner(where, what.pattern, settings.seed, watch);
  std::vector<sim::dataflow_report> reports = runner.run(settings.threads);
  flow_runs runs;
  for (std::size_t i = 0; i < reports.size(); ++i)
    runs.push_back({where.name, std::string(what.name), std::string(configurations[i].name), std::move(reports[i])});
  return runs;
}

flow_runs kept_or_run(const simulated_machine& where, const named_pattern& what, const reproduction_settings& settings,
                      const flow_watcher& watch) {
  if (settings.kept == nullptr) return run_flow_benchmark(where, what, settings, watch);
  const std::size_t number = settings.kept->numbers(1);
  const std::string title = fmt::format("{} on {}", what.name, where.name);
  if (auto kept = settings.kept->find<flow_runs>(number, title)) return *std::move(kept);
  flow_runs made = run_flow_benchmark(where, what, settings, watch);
  settings.kept->keep(number, title, made);
  return made;
}

flow_runs run_flow_benchmarks(const simulated_machine& where, drebes_machine blocks,
                              const reproduction_settings& settings, double done, double part) {
  flow_runs runs;
  const double each = part / static_cast<double>(std::size(benchmarks));
  for (const flow_benchmark& one : benchmarks) {
    const auto watch = [&](std::string_view configuration, double of_these) {
      if (settings.watch)
        settings.watch({fmt::format("{} as {} on {}", one.name, configuration, where.name), done + each * of_these});
    };
    std::ranges::move(kept_or_run(where, {one.name, one.make(blocks, settings.extent)}, settings, watch),
                      std::back_inserter(runs));
    done += each;
  }
  return runs;
}

const sim::dataflow_report& report_of(const flow_runs& runs, std::string_view machine, std::string_view benchmark,
                                      std::string_view configuration) {
  const auto found = std::ranges::find_if(runs, [&](const flow_run& one) {
    return one.machine == machine && one.benchmark == benchmark && one.configuration == configuration;
  });
  if (found == runs.end())
    throw error(fmt::format("nearfork: {} was not run as {} on {}", benchmark, configuration, machine));
  return found->report;
}

}  // namespace nearfork::tools
