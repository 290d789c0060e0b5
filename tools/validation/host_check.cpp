// Compares times of the workloads on the machine that runs this program with the simulator's for a model of the same
// machine. scripts/validate_host.sh runs it.
//
//   host_check measure            runs what host_subjects.hpp lists; prints "WORKLOAD SIZE WORKERS NANOSECONDS"
//   host_check compare MODEL      reads such lines of one or several runs from stdin, simulates the same with
//                                 that model file, and prints a table with the least time of each
//
// Two commands, because only the first one needs the machine for itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "base/output/standard_streams.hpp"
#include "tools/output/result_table.hpp"
#include "tools/validation/host_prediction.hpp"
#include "tools/validation/host_subjects.hpp"

namespace {

using namespace nearfork;
using namespace nearfork::tools;

int measure() {
  std::vector<host_subject> all = host_subjects();
  for (host_subject& one : shaped_subjects()) all.push_back(std::move(one));
  for (const host_subject& one : all)
    for (const unsigned workers : {1U, 2U}) {
      fmt::print(stderr, "measuring {} {} with {} workers\n", one.workload, one.size, workers);
      fmt::print("{} {} {} {}\n", one.workload, one.size, workers, measured_ns(one, workers));
      flush_standard_output();
    }
  return EXIT_SUCCESS;
}

std::vector<host_time> times_from(std::istream& in) {
  std::vector<host_time> made;
  for (host_time one; in >> one.workload >> one.size >> one.workers >> one.measured_ns;) {
    const auto known = std::ranges::find_if(made, [&](const host_time& other) {
      return other.workload == one.workload && other.size == one.size && other.workers == one.workers;
    });
    if (known == made.end()) made.push_back(one);
    else known->measured_ns = std::min(known->measured_ns, one.measured_ns);
  }
  if (!in.eof() || made.empty()) throw error("host_check: stdin is not what `host_check measure` prints");
  return made;
}

int compare(const std::string& model) {
  std::vector<host_time> times = times_from(std::cin);
  predict(times, model);
  fmt::print("{}", markdown_of(table_of(times)));
  flush_standard_output();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) try {
  secure_standard_streams();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "measure" && argc == 2) return measure();
  if (what == "compare" && argc == 3) return compare(argv[2]);
  std::fputs("usage: host_check measure | compare MODEL < times\n", stderr);
  return 2;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return EXIT_FAILURE;
}
