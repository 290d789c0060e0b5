#include "tools/validation/host_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <nearfork/error.hpp>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "sim/machine/model_reader.hpp"
#include "tools/bench/statistics.hpp"
#include "tools/sim/campaign.hpp"
#include "tools/sim/simulated_machine.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "tools/validation/host_subjects.hpp"
#include "tools/workload_words.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

double error_percent(const host_time& one) {
  return 100 * (one.simulated_ns / one.measured_ns - 1);
}

/// The whole run twice, the second time with the caches as the first one left them: so it was measured.
sim::program twice(sim::program once, std::uint64_t iterations) {
  std::vector<std::uint32_t> course;
  for (std::size_t i = 0; i < 2 * iterations; ++i) course.push_back(once.course[(i % iterations) % once.course.size()]);
  once.course = std::move(course);
  return once;
}

struct prepared {
  sim::program what;
  std::uint64_t iterations;
};

prepared program_for(const host_time& one, const simulated_machine& where) {
  const workloads::workload& found = workloads::find_workload(one.workload);
  const auto size = size_of_workload(found.name, found.sizes, one.size);
  const std::uint64_t iterations = iterations_of(found, size);
  const simulation_input input{.size = size, .speed = where.speed, .iterations = iterations};
  return {twice(simulated_program(found, input), iterations), iterations};
}

bool is_shaped(const host_time& one) {
  return std::ranges::any_of(shaped_subjects(), [&](const host_subject& known) {
    return known.workload == one.workload && known.size == one.size;
  });
}

double second_half_ns(const sim::region_run& run) {
  const std::span all(run.iterations);
  double ps = 0;
  for (const sim::iteration_report& one : all.subspan(all.size() / 2)) ps += static_cast<double>(one.duration_ps);
  return ps / 1e3;
}

/// Measured and simulated, of some programs.
struct comparison {
  std::vector<double> errors;
  std::vector<double> measured_ns;
  std::vector<double> simulated_ns;
  std::vector<double> measured_gain;  // how many times faster two workers are
  std::vector<double> simulated_gain;

  void add(const host_time& one, const host_time& two) {
    for (const host_time* each : {&one, &two}) {
      errors.push_back(std::abs(error_percent(*each)));
      measured_ns.push_back(each->measured_ns);
      simulated_ns.push_back(each->simulated_ns);
    }
    measured_gain.push_back(one.measured_ns / two.measured_ns);
    simulated_gain.push_back(one.simulated_ns / two.simulated_ns);
  }
  [[nodiscard]] std::size_t programs() const { return measured_gain.size(); }
  [[nodiscard]] std::string text() const {
    return fmt::format(
        "{} programs: median error {:.1f}%; rank correlation of times {:.2f}, of how many times faster two "
        "workers are {:.2f}.",
        programs(), median(errors), rank_correlation(measured_ns, simulated_ns),
        rank_correlation(measured_gain, simulated_gain));
  }
};

}  // namespace

void predict(std::vector<host_time>& times, const std::string& model_file) {
  const auto here = live_machine();
  simulated_machine where{.name = "this machine", .what = here, .model = sim::load_model_file(*here, model_file)};
  where.speed = speed_of(where.model);
  // One by one, because all programs together would not fit into memory.
  for (host_time& one : times) {
    const prepared subject = program_for(one, where);
    const std::vector<simulation_job> job{{.title = one.workload,
                                           .what = &subject.what,
                                           .where = &where,
                                           .policy = "random",
                                           .iterations = 2 * subject.iterations,
                                           .workers = one.workers}};
    one.simulated_ns = second_half_ns(simulate_all(job, 1, {}).front().run);
  }
}

result_table table_of(const std::vector<host_time>& times) {
  result_table table{.id = "host", .title = "Times on this machine, measured and simulated"};
  table.columns = {{"workload"},        {"size"},       {"1: measured ms", 3},
                   {"simulated ms", 3}, {"error %", 1}, {"2: measured ms", 3},
                   {"simulated ms", 3}, {"error %", 1}};
  comparison of_workloads;
  comparison of_shaped;
  comparison of_all;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    const host_time& one = times[i];
    const host_time& two = times[i + 1];
    if (one.workload != two.workload || one.size != two.size || one.workers != 1 || two.workers != 2)
      throw error("host_check: " + one.workload + " " + one.size + " was not measured with one and two workers");
    table.rows.push_back({one.workload, one.size, one.measured_ns / 1e6, one.simulated_ns / 1e6, error_percent(one),
                          two.measured_ns / 1e6, two.simulated_ns / 1e6, error_percent(two)});
    (is_shaped(one) ? of_shaped : of_workloads).add(one, two);
    of_all.add(one, two);
  }
  table.notes = {"The workloads at three sizes each, " + of_workloads.text(),
                 "The last ones, chosen because their shapes decide what a second worker gains, " + of_shaped.text(),
                 "All, " + of_all.text()};
  return table;
}

}  // namespace nearfork::tools
