#include "tools/validation/host_subjects.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>
#include <nearfork/runtime.hpp>

#include "tools/workload_words.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {
namespace {

constexpr int runs = 4;

/// How often each grid program sweeps, by size: long compared with the start of a run, short for other users of the
/// machine.
constexpr const char* often = ",iterations=60";
constexpr const char* some = ",iterations=6";
constexpr const char* few = ",iterations=4";

void add(std::vector<host_subject>& to, const char* workload, const char* in_caches, const char* about,
         const char* beyond) {
  to.push_back({workload, std::string(in_caches) + often});
  to.push_back({workload, std::string(about) + some});
  to.push_back({workload, std::string(beyond) + few});
}

std::uint64_t timed(runtime& workers, workloads::instance& problem) {
  using clock = std::chrono::steady_clock;
  problem.reset();
  const auto began = clock::now();
  workers.run([&] { problem.run_nearfork(); });
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - began).count());
}

}  // namespace

/// About 768 KiB, 16 MiB and 128 MiB each. fft has powers of two; and the whole matrix product beyond the last level
/// would take seconds.
std::vector<host_subject> host_subjects() {
  std::vector<host_subject> all;
  for (const char* const two_grids : {"heat", "heat-ir", "9p", "9p-ir"})
    add(all, two_grids, "rows=96,columns=512", "rows=1024,columns=1024", "rows=8192,columns=1024");
  for (const char* const one_grid : {"sor", "sor-ir"})
    add(all, one_grid, "rows=192,columns=512", "rows=2048,columns=1024", "rows=16384,columns=1024");
  for (const char* const square : {"ge", "ge-ir"}) add(all, square, "size=320", "size=1448", "size=4096");
  for (const char* const cuboids : {"6p", "25p"})
    add(all, cuboids, "planes=48,rows=32,columns=32", "planes=256,rows=64,columns=64",
        "planes=2048,rows=64,columns=64");
  for (const char* const keys : {"keys=49152", "keys=1048576", "keys=8388608"}) all.push_back({"mergesort", keys});
  for (const char* const n : {"n=176", "n=832", "n=1536"}) all.push_back({"matmul", n});
  for (const char* const points : {"log2_points=14", "log2_points=19", "log2_points=21"})
    all.push_back({"fft", points});
  return all;
}

std::vector<host_subject> shaped_subjects() {
  std::vector<host_subject> all;
  for (const char* const numbers : {"n=32,cutoff=32", "n=32,cutoff=31", "n=32,cutoff=29", "n=32,cutoff=20"})
    all.push_back({"fib", numbers});
  for (const char* const picture : {"width=262144,height=1,limit=500", "width=262144,height=3,limit=500",
                                    "width=262144,height=5,limit=500", "width=4096,height=64,limit=500"})
    all.push_back({"mandelbrot", picture});
  for (const char* const board : {"n=11,spawn_rows=0", "n=11,spawn_rows=1", "n=11,spawn_rows=3"})
    all.push_back({"nqueens", board});
  // Leaves have eight rows; two more are the borders.
  for (const char* const grid : {"rows=10,columns=4096,iterations=100", "rows=26,columns=4096,iterations=100",
                                 "rows=42,columns=4096,iterations=100", "rows=18,columns=512,iterations=1000"})
    all.push_back({"heat", grid});
  return all;
}

std::uint64_t measured_ns(const host_subject& what, unsigned workers) {
  const workloads::workload& found = workloads::find_workload(what.workload);
  const auto problem = workloads::prepare(found, size_of_workload(found.name, found.sizes, what.size), {.seed = 1});
  config settings;
  settings.workers = workers;
  settings.strict = true;
  runtime crew(settings);
  (void)timed(crew, *problem);
  std::uint64_t least = timed(crew, *problem);
  for (int i = 1; i < runs; ++i) least = std::min(least, timed(crew, *problem));
  if (const std::string fault = problem->fault(); !fault.empty())
    throw error("host_check: " + what.workload + " " + what.size + ": " + fault);
  return least;
}

}  // namespace nearfork::tools
