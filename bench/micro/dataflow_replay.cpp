// What a task with two dependences costs in a new dataflow graph, in a graph that is kept, and in a replay.
// Prints text.
// usage: dataflow_replay [WORKERS [SWEEPS]]
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/dataflow/sweeps.hpp"

namespace {

using sweeps::width;

template <class Run>
double ns_a_task(std::uint64_t count, const Run& run) {
  const auto before = std::chrono::steady_clock::now();
  run();
  const auto passed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before);
  return passed.count() / static_cast<double>(count * width);
}

void build(nearfork::dataflow& graph, std::uint64_t count, std::vector<std::uint64_t>& cells) {
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::size_t i = 1; i <= width; ++i) {
      std::uint64_t* const own = &cells[i];
      graph.task({nearfork::in(own[-1]), nearfork::inout(*own)}, [own] { *own = sweeps::updated(*own, own[-1]); });
    }
}

void print(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  std::printf("%-12s median %6.1f  min %6.1f  max %6.1f ns a task\n", what, times[times.size() / 2], times.front(),
              times.back());
}

}  // namespace

int main(int count, char** words) {
  nearfork::config settings;
  settings.workers = count > 1 ? static_cast<unsigned>(std::strtoul(words[1], nullptr, 10)) : 1;
  const std::uint64_t repeats = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1'000;
  nearfork::runtime runtime(settings);
  std::vector<std::uint64_t> cells(width + 1, 1);
  std::vector<std::uint64_t> expected = cells;
  constexpr int times = 15;
  runtime.run([&] {
    std::vector<double> fresh;
    std::vector<double> kept;
    std::vector<double> replayed;
    for (int i = 0; i < times; ++i) {
      fresh.push_back(ns_a_task(repeats, [&] {
        nearfork::dataflow graph;
        build(graph, repeats, cells);
        graph.sync();
      }));
      nearfork::dataflow graph;
      graph.keep();
      kept.push_back(ns_a_task(repeats, [&] {
        build(graph, repeats, cells);
        graph.wait();
      }));
      graph.replay();
      replayed.push_back(ns_a_task(repeats, [&] { graph.replay(); }));
    }
    print("new graph", fresh);
    print("kept graph", kept);
    print("replay", replayed);
  });
  for (std::uint64_t n = 0; n < 4 * times * repeats; ++n)
    for (std::size_t i = 1; i <= width; ++i) expected[i] = sweeps::updated(expected[i], expected[i - 1]);
  if (cells == expected) return 0;
  std::puts("WRONG");
  return 1;
}
