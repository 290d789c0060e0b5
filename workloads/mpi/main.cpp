// One run of a workload on the ranks of mpirun, for `nearfork bench --mpi`, which says what the words mean and reads
// the file. A build of nearfork has this program once for each MPI.
//
// usage: nearfork-mpi-work-MPI version RESULT-FILE
//        nearfork-mpi-work-MPI WORKLOAD nearfork|mpi|mpi-openmp RESULT-FILE SEED REPETITIONS SIZE...
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <nearfork/error.hpp>
#include <nearfork/mpi.hpp>

#include "workloads/difference.hpp"
#include "workloads/mpi/mpi_part.hpp"

namespace {

using namespace nearfork::workloads;
namespace mpi = nearfork::mpi;
using clock_type = std::chrono::steady_clock;

struct run_order {
  std::string workload;
  mpi_style style;
  std::string result;
  std::uint64_t seed;
  std::uint64_t repetitions;
  size_values size;
};

struct run_results {
  std::vector<std::uint64_t> times_ns;
  std::uint64_t serial_ns = 0;
  std::string fault;
};

std::uint64_t number_from(const char* word) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(word, word + std::strlen(word), number);
  if (failed != std::errc() || *end != '\0') throw nearfork::error(std::string("nearfork: no number: ") + word);
  return number;
}

mpi_style style_from(const std::string& word) {
  if (word == "nearfork") return mpi_style::suspended;
  if (word == "mpi") return mpi_style::ranks;
  if (word == "mpi-openmp") return mpi_style::openmp;
  throw nearfork::error("nearfork: no style: " + word);
}

run_order order_from(std::span<char*> words) {
  if (words.size() < 7) throw nearfork::error("nearfork: this program is started by nearfork bench --mpi");
  run_order made{words[1], style_from(words[2]), words[3], number_from(words[4]), number_from(words[5]), {}};
  for (const char* const word : words.subspan(6)) made.size.push_back(number_from(word));
  return made;
}

std::uint64_t ns_since(clock_type::time_point from) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock_type::now() - from).count());
}

std::unique_ptr<mpi_part> part_of(const run_order& what) {
  if (what.workload == "heat-mpi") return heat_part(what.size, what.seed, what.style);
  if (what.workload == "pagerank-mpi") return pagerank_part(what.size, what.seed, what.style);
  throw nearfork::error("nearfork: no workload of MPI: " + what.workload);
}

/// The other ranks wait without using a core, which rank 0 computes on.
void wait_for_rank_0() {
  int word = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::vector<double> serially(const mpi_part& part, int rank, run_results& into) {
  std::vector<double> right;
  if (rank == 0) {
    const auto from = clock_type::now();
    right = part.computed_serially();
    into.serial_ns = ns_since(from);
  }
  wait_for_rank_0();
  return right;
}

/// Bit for bit.
std::string fault_of(const std::vector<double>& found, const std::vector<double>& right) {
  if (found.size() == right.size() && std::memcmp(found.data(), right.data(), right.size() * sizeof(double)) == 0)
    return {};
  return difference("value", found, right, 0);
}

/// run(part): all iterations on this rank.
template <class Run>
run_results timed(const run_order& what, const Run& run) {
  const std::unique_ptr<mpi_part> part = part_of(what);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  run_results made;
  const std::vector<double> right = serially(*part, rank, made);
  for (std::uint64_t i = 0; i <= what.repetitions; ++i) {  // the first one warms up
    part->reset();
    MPI_Barrier(MPI_COMM_WORLD);
    const auto from = clock_type::now();
    run(*part);
    MPI_Barrier(MPI_COMM_WORLD);
    if (i > 0) made.times_ns.push_back(ns_since(from));
    const std::vector<double> found = part->gathered();
    if (rank == 0 && made.fault.empty()) made.fault = fault_of(found, right);
  }
  return made;
}

/// "Open MPI v4.1.4", "MPICH Version: 4.0.2".
std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string name(text.data());
  name = name.substr(0, name.find_first_of(",\n"));
  std::string tidy;
  for (const char one : name) tidy += one == '\t' ? ' ' : one;
  while (const auto twice = tidy.find("  ")) {
    if (twice == std::string::npos) break;
    tidy.erase(twice, 1);
  }
  return tidy;
}

void write_result(const std::string& path, const run_results& of, unsigned threads, int ranks) {
  std::ofstream file(path);
  file << "mpi " << mpi_name() << "\nranks " << ranks << "\nthreads " << threads << "\nserial_ns " << of.serial_ns
       << '\n';
  for (const std::uint64_t one : of.times_ns) file << "time_ns " << one << '\n';
  file << "fault " << of.fault << "\nend\n";
  if (!file.flush()) throw nearfork::error("nearfork: cannot write " + path);
}

void run_suspended(const run_order& what) {
  mpi::session here;
  const run_results made = timed(what, [&](mpi_part& part) { here.run([&] { part.run(); }); });
  if (here.rank() == 0) write_result(what.result, made, here.home().workers(), here.ranks());
}

void run_blocking(const run_order& what) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  try {
    const run_results made = timed(what, [](mpi_part& part) { part.run(); });
    const rank_number here = rank_in_world();
    if (here.mine == 0) write_result(what.result, made, openmp_threads(what.style), here.all);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string(argv[1]) == "version") return std::ofstream(argv[2]) << mpi_name() << '\n' ? 0 : 1;
    const run_order what = order_from(std::span(argv, static_cast<std::size_t>(argc)));
    if (what.style == mpi_style::suspended) run_suspended(what);
    else run_blocking(what);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  }
}
