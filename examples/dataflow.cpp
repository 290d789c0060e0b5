#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <nearfork/nearfork.hpp>

int main() {
  constexpr std::size_t blocks = 16, length = 1024, sweeps = 20;
  std::vector<double> line(blocks * length, 0.0);
  line.front() = 1.0;
  const auto block = [&](std::size_t at) { return std::span(line).subspan(at * length, length); };
  const auto smooth = [](double left, std::span<double> mine) {
    for (double& each : mine) left = each = (left + each) / 2;
  };

  std::vector<double> expected = line;
  for (std::size_t n = 0; n < sweeps; ++n) smooth(1.0, expected);

  nearfork::dataflow graph;
  const auto largest = graph.buffer<double>(1);
  graph.task({nearfork::in(largest)}, [](std::span<const double> value) { std::printf("largest: %g\n", value[0]); });
  for (std::size_t n = 0; n < sweeps; ++n) {
    graph.task({nearfork::inout(block(0))}, [smooth](std::span<double> mine) { smooth(1.0, mine); });
    for (std::size_t at = 1; at < blocks; ++at)
      graph.task({nearfork::in(line[at * length - 1]), nearfork::inout(block(at))},
                 [smooth](std::span<const double> left, std::span<double> mine) { smooth(left[0], mine); });
  }
  graph.task({nearfork::in(line), nearfork::out(largest)},
             [](std::span<const double> all, std::span<double> to) { to[0] = *std::ranges::max_element(all); });
  graph.sync();

  const bool right = line == expected;
  std::printf("dataflow: %zu tasks, %s\n", sweeps * blocks + 2, right ? "as one after the other" : "WRONG");
  return right ? 0 : 1;
}
