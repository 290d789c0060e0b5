#include "tools/bench/mpi/mpi_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"
#include "tools/bench/rounds.hpp"
#include "tools/bench/statistics.hpp"
#include "tools/command.hpp"
#include "tools/load/processor_use.hpp"
#include "tools/recordings/program_run.hpp"
#include "tools/recordings/scratch_folder.hpp"
#include "tools/terminal/progress_line.hpp"
#include "tools/workload_words.hpp"

namespace nearfork::tools {
namespace {

struct mpi_program {
  const char* name;
  const char* serial;  // the workload of one process, whose sizes it has
  const char* description;
};
constexpr std::array<mpi_program, 2> mpi_programs{
    {{"heat-mpi", "heat", "heat, a block of rows for each rank; neighbours exchange rows"},
     {"pagerank-mpi", "pagerank", "PageRank, a range of nodes for each rank; values travel by alltoallv"}}};

constexpr std::array<std::string_view, 4> mpi_ways{"serial", "nearfork", "mpi", "mpi-openmp"};
constexpr std::uint64_t most_threads = 4096;
constexpr const char* scratch_for = "nearfork bench --mpi";

const mpi_program& mpi_program_called(const std::string& name) {
  const auto found = std::ranges::find(mpi_programs, name, &mpi_program::name);
  if (found != mpi_programs.end()) return *found;
  throw error(fmt::format("nearfork: {} does not run on MPI; these do: {}, {}", nearfork::quoted(name),
                          mpi_programs[0].name, mpi_programs[1].name));
}

/// The last size that names the program, else the last one without a name.
std::string size_asked(const bench_request& request, const std::string& name) {
  std::string size = "default";
  for (const std::string& one : request.sizes)
    if (one.find(':') == std::string::npos) size = one;
  for (const std::string& one : request.sizes)
    if (one.starts_with(name + ":")) size = one.substr(name.size() + 1);
  return size;
}

void refuse_what_ranks_lack(const bench_request& request) {
  const auto refuse = [](bool given, const char* flag) {
    if (given) throw error(fmt::format("nearfork: {} is not for runs with --mpi", flag));
  };
  refuse(!request.policies.empty(), "--policy");
  refuse(!request.setup.empty(), "--setup");
  refuse(!request.pages.empty(), "--pages");
  refuse(!request.graph.empty(), "--graph");
  refuse(request.workers.size() > 1, "--workers with several numbers");
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_good_end(const program_end& end, const std::string& program) {
  constexpr int interrupt = 2;
  if (end.signal == interrupt || end.status == static_cast<int>(exit_code::interrupted))
    throw exit_with{exit_code::interrupted};
  if (end.signal != 0) throw error(fmt::format("nearfork: {} was ended by signal {}", program, end.signal));
  if (end.status != 0)
    throw error(fmt::format("nearfork: {} ended with status {}; what it said is above", program, end.status));
}

/// Runs of one workload, one start after the other.
class mpi_runs {
 public:
  mpi_runs(const mpi_workload& what, std::uint64_t seed, const mpi_here& mpi, unsigned cores)
      : what_(what), seed_(seed), mpi_(mpi), cores_(cores), folder_(scratch_for) {}

  [[nodiscard]] mpi_outcome run(const mpi_contender& how) {
    const std::string file = folder_.file(std::to_string(++runs_));
    std::vector<std::string> arguments{what_.name, how.name, file, std::to_string(seed_), "1"};
    for (const std::uint64_t number : what_.size) arguments.push_back(std::to_string(number));
    const mpi_start start = start_of(mpi_, how, cores_, arguments);
    expect_good_end(run_program(start.words, start.environment), fmt::format("{}", fmt::join(start.words, " ")));
    mpi_outcome made = mpi_outcome_from(contents_of(file));
    if (!made.complete)
      throw error(fmt::format("nearfork: {} wrote no result; is {} a folder that all ranks share?", mpi_.program,
                              folder_.file("")));
    return made;
  }

 private:
  const mpi_workload& what_;
  std::uint64_t seed_;
  const mpi_here& mpi_;
  unsigned cores_;
  scratch_folder folder_;
  unsigned runs_ = 0;
};

void add_outcome(const mpi_outcome& seen, contender_result& to) {
  if (!seen.fault.empty()) {
    if (to.wrong++ == 0) to.first_fault = seen.fault;
    return;
  }
  to.times_ns.insert(to.times_ns.end(), seen.times_ns.begin(), seen.times_ns.end());
}

}  // namespace

void refuse_mpi_programs(const bench_request& request) {
  std::vector<std::string> named = request.workloads;
  for (const std::string& size : request.sizes) named.push_back(size.substr(0, size.find(':')));
  for (const mpi_program& one : mpi_programs)
    if (std::ranges::find(named, one.name) != named.end())
      throw error(
          fmt::format("nearfork: {} runs on ranks of MPI alone: say how many with --mpi N, as in nearfork bench "
                      "--mpi 2 {}",
                      one.name, one.name));
}

std::vector<mpi_workload> mpi_workloads(const bench_request& request) {
  refuse_what_ranks_lack(request);
  std::vector<const mpi_program*> asked;
  for (const std::string& name : request.workloads) asked.push_back(&mpi_program_called(name));
  if (asked.empty())
    for (const mpi_program& one : mpi_programs) asked.push_back(&one);
  for (const std::string& size : request.sizes)
    if (const auto colon = size.find(':'); colon != std::string::npos) (void)mpi_program_called(size.substr(0, colon));
  std::vector<mpi_workload> made;
  for (const mpi_program* const one : asked) {
    const workloads::workload& serial = workloads::find_workload(one->serial);
    auto size = size_of_workload(one->name, serial.sizes, size_asked(request, one->name));
    if (request.iterations) set_iterations(size, one->name, serial.sizes, *request.iterations);
    made.push_back({one->name, one->description, size, workloads::size_text(serial.sizes, size),
                    serial.bytes(size, workloads::instance_input{})});
  }
  return made;
}

std::vector<mpi_contender> mpi_contenders_for(const bench_request& request, unsigned ranks, unsigned cores) {
  for (const std::string& name : request.contenders)
    if (std::ranges::find(mpi_ways, name) == mpi_ways.end())
      throw error(fmt::format("--contender: {} does not run on MPI; these do: {}", nearfork::quoted(name),
                              fmt::join(mpi_ways, ", ")));
  unsigned threads = std::max(1U, cores / ranks);
  if (!request.workers.empty() && request.workers[0] != "0")
    threads = static_cast<unsigned>(parse_number(request.workers[0], {1, most_threads}).value_or(threads));
  std::vector<mpi_contender> made = mpi_contenders(ranks, threads);
  std::erase_if(made, [&](const mpi_contender& one) { return !is_wanted(request, one.name); });
  if (made.empty()) throw error("nearfork: with --mpi a contender beside serial is needed, which is computed with it");
  return made;
}

std::string mpi_version(const mpi_here& mpi) {
  const scratch_folder folder(scratch_for);
  const std::string file = folder.file("version");
  expect_good_end(run_program({mpi.program, "version", file}, {}), mpi.program);
  std::string text = contents_of(file);
  return text.substr(0, text.find('\n'));
}

workload_result run_on_ranks(const mpi_workload& what, const bench_request& request, const mpi_here& mpi,
                             const std::vector<mpi_contender>& contenders, unsigned cores) {
  workload_result result{
      .name = what.name, .description = what.description, .size = what.size_text, .bytes = what.bytes};
  contender_result serial{.name = "serial", .label = "serial", .workers = 1};
  std::vector<contender_result> seen;
  for (const mpi_contender& one : contenders) seen.push_back({one.name, one.label, one.ranks * one.threads});
  progress_line progress;
  const load_watch others;
  mpi_runs runs(what, request.seed, mpi, cores);
  std::uint64_t done = 0;
  for (std::uint64_t round = 0; round < request.repetitions; ++round)
    for (const std::size_t next : order_of_round(contenders.size(), round, request.seed)) {
      progress.show(progress_text(what.name, {done++, request.repetitions * contenders.size(), contenders[next].label},
                                  progress.elapsed_s()));
      const mpi_outcome outcome = runs.run(contenders[next]);
      add_outcome(outcome, seen[next]);
      if (next == 0) serial.times_ns.push_back(outcome.serial_ns);
    }
  result.cores_used_by_others = others.used_by_others();
  if (is_wanted(request, "serial")) result.contenders.push_back(std::move(serial));
  for (contender_result& one : seen) result.contenders.push_back(std::move(one));
  return result;
}

}  // namespace nearfork::tools
