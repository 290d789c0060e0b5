// The cost of a recording: runs a tree of tasks plain and recorded in turn, with and without writing the file. Prints
// text.
#include <nearfork/nearfork.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording_file.hpp"

namespace {

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point before) {
  return std::chrono::duration<double>(steady::now() - before).count();
}

/// A chain of multiplications that no compiler shortens; it reads no clock.
[[gnu::noinline]] std::uint64_t spin(std::uint64_t rounds, std::uint64_t seed) {
  std::uint64_t value = seed | 1;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    value *= 0x9e3779b97f4a7c15ULL;
    __asm__ __volatile__("" : "+r"(value));
  }
  return value;
}

double rounds_per_ns() {
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const auto before = steady::now();
    (void)spin(1'000'000, 1);
    best = std::max(best, 1'000'000 / (seconds_since(before) * 1e9));
  }
  return best;
}

/// Which tasks of a tree do work.
enum class works { leaves, all_tasks };

struct shape {
  unsigned depth;
  works where;
  std::uint64_t rounds;
};

std::uint64_t tree(const shape& of, unsigned depth) {
  const bool leaf = depth == 0;
  const std::uint64_t own = (leaf || of.where == works::all_tasks) && of.rounds > 0 ? spin(of.rounds, depth) & 0 : 0;
  if (leaf) return 1 + own;
  const auto [a, b] =
      nearfork::fork_join([&, depth] { return tree(of, depth - 1); }, [&, depth] { return tree(of, depth - 1); });
  return a + b + 1 + own;
}

struct spent {
  double tasks = 0;  // while the region's tasks ran
  double run = 0;    // until the region returned: includes making the graph
  double total = 0;  // includes writing the file
  double work = 0;   // the work in the file
};

nearfork::config settings_of(unsigned workers, const std::string& path) {
  nearfork::config made = nearfork::config::from_environment();
  made.workers = workers;
  made.record = path;
  return made;
}

spent once(const shape& of, unsigned workers, const std::string& path) {
  std::optional<nearfork::runtime> runtime(settings_of(workers, path));
  runtime->run([] { (void)tree({4, works::leaves, 0}, 4); });  // starts the workers
  const std::uint64_t expected = (std::uint64_t{2} << of.depth) - 1;
  const auto before = steady::now();
  const std::uint64_t ran = runtime->run([&] { return nearfork::region("tree", [&] { return tree(of, of.depth); }); });
  spent took{.run = seconds_since(before)};
  if (!path.empty()) runtime->write_recording(path);
  took.total = seconds_since(before);
  if (!path.empty()) {
    const nearfork::recordings::recording made = nearfork::recordings::load_recording(path);
    for (const nearfork::recordings::region& one : made.regions)
      if (one.name == "tree") {
        took.tasks = static_cast<double>(one.recorded.at(0).duration_ns) * 1e-9;
        took.work = static_cast<double>(one.recorded.at(0).graph.work_ns()) * 1e-9;
      }
  }
  if (ran != expected) {
    std::fprintf(stderr, "wrong answer: %llu tasks of %llu\n", static_cast<unsigned long long>(ran),
                 static_cast<unsigned long long>(expected));
    std::exit(1);
  }
  return took;
}

void measure(const shape& of, unsigned workers, const char* what, int repetitions) {
  // Each runtime also writes a recording when it stops, under a name of its own. The folder collects all of them.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("nearfork-recording-cost-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "g.nfg").string();
  std::vector<double> plain;
  std::vector<spent> recorded;
  for (int i = 0; i < repetitions; ++i) {
    plain.push_back(once(of, workers, "").run);
    recorded.push_back(once(of, workers, path));
  }
  std::ranges::sort(plain);
  const auto median = [&](double spent::* which) {
    std::ranges::sort(recorded, {}, which);
    return recorded[recorded.size() / 2].*which;
  };
  const double tasks = static_cast<double>((std::uint64_t{2} << of.depth) - 1);
  const double per_task = 1e9 / tasks;
  const double base = plain[plain.size() / 2];
  const double total = median(&spent::total);
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  std::printf(
      "%-20s %u workers, ns a task: plain %7.1f; recorded +%6.1f while tasks run, +%6.1f when the region returns, "
      "+%6.1f with the file: %.2fx; work in the file %7.1f; %.2f bytes a task\n",
      what, workers, base * per_task, (median(&spent::tasks) - base) * per_task,
      (median(&spent::run) - base) * per_task, (total - base) * per_task, total / base, median(&spent::work) * per_task,
      bytes / tasks);
  std::fflush(stdout);
  std::filesystem::remove_all(folder);
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 5;
  const unsigned depth = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 18;
  const double per_ns = rounds_per_ns();
  for (const unsigned workers : {1U, 2U}) {
    measure({depth, works::leaves, 0}, workers, "no work", repetitions);
    for (const double us : {0.3, 1.0, 3.0}) {
      const auto rounds = static_cast<std::uint64_t>(us * 1e3 * per_ns);
      char what[64];
      std::snprintf(what, sizeof what, "leaves of %.1f us", us);
      measure({depth, works::leaves, rounds}, workers, what, repetitions);
    }
    measure({depth, works::all_tasks, static_cast<std::uint64_t>(300 * per_ns)}, workers, "all tasks of 0.3 us",
            repetitions);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("most memory: %.1f MiB\n", static_cast<double>(used.ru_maxrss) / 1024);
}
