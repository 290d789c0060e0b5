// Sessions: which PUs ranks have, what they say of it, and what is said when ranks end early.
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "mpi/cases.hpp"
#include "mpi/placement.hpp"

namespace cases {
namespace {

namespace mpi = nearfork::mpi;

void placement_values(const arguments&) {
  using lists = std::vector<mpi::pu_list>;
  using enum mpi::binding;
  expect(mpi::binding_of(lists{{0, 1}}) == by_launcher, "one rank");
  expect(mpi::binding_of(lists{{0, 1}, {2}, {3}}) == by_launcher, "disjoint");
  expect(mpi::binding_of(lists{{0, 1}, {0, 1}}) == nobody, "equal");
  expect(mpi::binding_of(lists{{0, 1}, {0, 1}, {1}}) == mixed, "mixed");
  expect(mpi::text_of(mpi::pu_list{0, 1, 2, 5, 7, 8}) == "0-2,5,7-8", "text of PUs");
  const std::vector<mpi::rank_place> places{{0, "a", {0, 1}, ""}, {1, "b", {0, 1}, ""}, {2, "a", {1, 2}, ""}};
  expect(mpi::overlaps(places) == std::vector<std::string>{"rank 0 and rank 2 share PU 1 on a"}, "overlaps");
  expect(mpi::path_of_rank("out.d/report.json", 3) == "out.d/report.rank3.json", "path with an ending");
  expect(mpi::path_of_rank("out.d/report", 3) == "out.d/report.rank3", "path without an ending");
  expect(mpi::path_of_rank(".hidden", 3) == ".hidden.rank3", "a hidden file");
  expect(mpi::path_of_rank("stderr", 3) == "stderr" && mpi::path_of_rank("", 3).empty(), "no file");
}

/// Prints who has what. Its PUs are those of the runtime's threads. Memory was placed before: the machine was read when
/// nobody was bound.
void session(const arguments&) {
  const nearfork::array<double> placed_before(1024);
  mpi::session here;
  const auto& mine = here.places()[static_cast<std::size_t>(here.rank())];
  expect(mine.rank == here.rank() && !mine.pus.empty() && !mine.how.empty(), "my place");
  expect(here.places().size() == static_cast<std::size_t>(here.ranks()), "a place for each rank");
  const int sum = here.run([&] { return mpi::allreduce(here.rank(), MPI_SUM, MPI_COMM_WORLD); });
  expect(sum == here.ranks() * (here.ranks() - 1) / 2, "a sum over all ranks");
  (void)unsetenv("NEARFORK_WORKERS");  // tests set it, and a worker for each PU is the default
  expect(nearfork::runtime(nearfork::config{}).workers() <= mine.pus.size(), "no worker beyond the PUs of the rank");
  if (here.rank() == 0) std::fputs(here.places_text().c_str(), stdout);
}

void two_sessions_in_turn(const arguments&) {
  const initialised all;
  for (int i = 0; i < 2; ++i) {
    mpi::session here;
    here.run([] { mpi::barrier(MPI_COMM_WORLD); });
  }
  mpi::barrier(MPI_COMM_WORLD);
}

/// Rank 1 dies while the others wait for it.
void killed(const arguments&) {
  mpi::session here;
  here.run([&] {
    mpi::barrier(MPI_COMM_WORLD);
    if (here.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      (void)std::raise(SIGKILL);
    }
    int word = 0;
    mpi::recv(std::span(&word, 1), 1, 98, MPI_COMM_WORLD);
  });
}

}  // namespace

table place_cases() {
  return {{"placement_values", placement_values},
          {"session", session},
          {"two_sessions_in_turn", two_sessions_in_turn},
          {"killed", killed}};
}

}  // namespace cases
