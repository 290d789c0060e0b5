#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <span>

#include <nearfork/nearfork.hpp>

nearfork::flow_task<double> mean_of(nearfork::dataflow& graph, nearfork::buffer<double> of) {
  const std::span<const double> all = co_await nearfork::written(graph, of);
  co_return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

int main() {
  constexpr std::size_t blocks = 100;
  constexpr std::size_t written_at_once = 3;
  nearfork::dataflow graph;
  const auto samples = graph.stream<double>();
  const auto smooth = graph.stream<double>();
  const auto result = graph.buffer<double>(blocks * written_at_once - 1);
  nearfork::flow_task<double> mean = mean_of(graph, result);

  for (std::size_t i = 0; i < blocks; ++i)
    graph.task({nearfork::out(samples, written_at_once)},
               [i](std::span<double> some) { std::iota(some.begin(), some.end(), static_cast<double>(3 * i)); });
  for (std::size_t i = 0; i + 1 < blocks * written_at_once; ++i)  // takes a sample, and looks at the one behind it
    graph.task({nearfork::in(samples), nearfork::peek(samples), nearfork::out(smooth)},
               [](std::span<const double> now, std::span<const double> next, std::span<double> to) {
                 to[0] = (now[0] + next[0]) / 2;
               });
  graph.task({nearfork::in(smooth, result.size()), nearfork::out(result)},
             [](std::span<const double> all, std::span<double> to) { std::ranges::copy(all, to.begin()); });
  graph.wait();

  const bool right = mean.get() == 149.5;
  std::printf("streams: %zu samples, %s\n", blocks * written_at_once, right ? "smooth" : "WRONG");
  return right ? 0 : 1;
}
