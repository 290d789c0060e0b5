// Are coarse tasks shared at once? Times to the first instruction of each of N ready tasks on N workers, and loops of
// few bodies beside the ideal. Most bodies sleep, so that many workers fit on few cores.
#include <cstdio>
#include <exception>
#include <string_view>

#include "bench/coarse/measures.hpp"

namespace {

using maker = std::unique_ptr<coarse::client> (*)(unsigned workers);

struct named_client {
  const char* name;
  maker make;
};
constexpr named_client clients[] = {{"nearfork", coarse::nearfork_client}, {"oneTBB", coarse::onetbb_client}};

struct named_shape {
  const char* name;
  coarse::shape how;
};
constexpr named_shape shapes[] = {{"wide fork", &coarse::client::wide_fork},
                                  {"task group", &coarse::client::group},
                                  {"tree", &coarse::client::tree},
                                  {"loop", &coarse::client::loop}};

constexpr unsigned crews[] = {2, 4, 8, 16, 32};
constexpr double start_goal = 50e-6;
constexpr double loop_goal = 1.15;

void show_start(const char* shape, const char* client, unsigned workers, const std::vector<double>& times) {
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  std::printf("%-10s  %7u  %-8s  %9.1f  %9.1f  %9.1f  %s\n", shape, workers, client, at(0.5) * 1e6, at(0.9) * 1e6,
              times.back() * 1e6, at(0.5) <= start_goal ? "" : "above 50 us");
  std::fflush(stdout);
}

void starts(bool quick) {
  std::printf(
      "Microseconds to the first instruction of each of N ready tasks on N idle workers\n"
      "%-10s  %7s  %-8s  %9s  %9s  %9s\n",
      "shape", "workers", "runtime", "median", "90th", "most");
  for (const named_shape& shape : shapes)
    for (const unsigned workers : crews)
      for (const named_client& one : clients)
        if (const auto client = one.make(workers))
          show_start(shape.name, one.name, workers,
                     coarse::first_instructions(*client, shape.how, workers, quick ? 5 : 25, 5));
}

struct named_work {
  const char* name;
  coarse::work one;
  unsigned most_workers;  // spinning bodies need cores
};
constexpr named_work works[] = {
    {"10 ms", {10e-3, true}, 32}, {"100 us", {100e-6, true}, 32}, {"1 us", {1e-6, false}, 2}};

void show_loop(const named_work& work, unsigned workers, const char* client, std::size_t count, double took,
               double ideal) {
  std::printf("%-6s  %7u  %-8s  %6zu  %10.3f  %10.3f  %6.2f  %s\n", work.name, workers, client, count, took * 1e3,
              ideal * 1e3, took / ideal, took / ideal <= loop_goal ? "" : "above 1.15");
  std::fflush(stdout);
}

void loops(bool quick) {
  std::printf(
      "\nparallel_for over few bodies, in milliseconds, beside the ideal ceil(n / workers) * body\n"
      "%-6s  %7s  %-8s  %6s  %10s  %10s  %6s\n",
      "body", "workers", "runtime", "n", "took", "ideal", "ratio");
  for (const named_work& work : works) {
    const double body = coarse::alone(work.one);
    for (const unsigned workers : crews) {
      if (workers > work.most_workers) continue;
      for (const named_client& one : clients)
        if (const auto client = one.make(workers))
          for (std::size_t n = 1; n <= (quick ? 64 : 512); n *= 2) {
            const double ideal = static_cast<double>((n + workers - 1) / workers) * body;
            show_loop(work, workers, one.name, n, coarse::loop_seconds(*client, n, work.one, quick ? 2 : 3), ideal);
          }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false, with_starts = true, with_loops = true;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") quick = true;
    else if (word == "starts") with_loops = false;
    else if (word == "loops") with_starts = false;
    else {
      std::fprintf(stderr, "%s: usage: coarse [starts | loops] [--quick]\n", argv[i]);
      return word == "--help" ? 0 : 2;
    }
  }
  try {
    if (with_starts) starts(quick);
    if (with_loops) loops(quick);
    return 0;
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "coarse: %s\n", wrong.what());
    return 1;
  }
}
