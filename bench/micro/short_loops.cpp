// What a parallel_for costs that is called again and again, beside the plain loop: y[i] = 1.5 * x[i] + 2 over so many
// doubles. Rounds of both take turns; times are those of the fastest round. The answer is checked. Prints text.
// usage: short_loops [WORKERS]    (2 if not given)
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

constexpr int rounds = 15;
constexpr std::size_t counts[] = {100, 300, 1'000, 3'000, 10'000, 30'000, 100'000, 1'000'000};

struct arrays {
  explicit arrays(std::size_t count) : x(count), y(count) { std::iota(x.begin(), x.end(), 0.0); }
  std::vector<double> x, y;

  void set(std::size_t i) { y[i] = 1.5 * x[i] + 2; }
  [[nodiscard]] bool are_right() const {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (y[i] != 1.5 * x[i] + 2) return false;
    return true;
  }
};

[[gnu::noinline]] void run_plainly(arrays& on) {
  for (std::size_t i = 0; i < on.y.size(); ++i) on.set(i);
}

[[gnu::noinline]] void run_in_parallel(arrays& on) {
  nearfork::parallel_for(std::size_t{0}, on.y.size(), [&](std::size_t i) { on.set(i); });
}

/// Microseconds a loop.
double time_of(void (*loop)(arrays&), arrays& on, int times) {
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) loop(on);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count() / times;
}

bool compare(std::size_t count) {
  arrays plain(count);
  arrays parallel(count);
  const int times = static_cast<int>(std::max<std::size_t>(3, 10'000'000 / (count + 1000)));
  double least_plain = 1e300;
  double least_parallel = 1e300;
  for (int round = 0; round < rounds; ++round) {
    least_plain = std::min(least_plain, time_of(run_plainly, plain, times));
    least_parallel = std::min(least_parallel, time_of(run_in_parallel, parallel, times));
  }
  std::printf("%9zu %12.3f %12.3f %8.2f\n", count, least_plain, least_parallel, least_parallel / least_plain);
  return plain.are_right() && parallel.are_right();
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = argc > 1 ? std::atoi(argv[1]) : 2;
  if (workers < 1) {
    std::fprintf(stderr, "short_loops: a number of workers is expected, not \"%s\"\n", argv[1]);
    return 2;
  }
  nearfork::config settings;
  settings.workers = static_cast<unsigned>(workers);
  nearfork::runtime runtime(settings);
  std::printf("%d workers\n  doubles     plain us  parallel us    ratio\n", workers);
  bool right = true;
  runtime.run([&] {
    for (const std::size_t count : counts) right = compare(count) && right;
  });
  if (!right) std::fprintf(stderr, "short_loops: a loop has a wrong answer\n");
  return right ? 0 : 1;
}
