// What a parallel_for and a parallel_reduce cost that are called again and again, beside the plain loops:
// y[i] = 1.5 * x[i] + 2, and the sum of x[i], over so many doubles. Called in a worker, and by a thread outside.
// Rounds of both take turns; times are those of the fastest round. The answers are checked. Prints text.
// usage: short_loops [WORKERS]    (2 if not given)
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 15;
constexpr std::size_t counts[] = {100, 300, 1'000, 3'000, 10'000, 30'000, 100'000, 1'000'000};

struct arrays {
  explicit arrays(std::size_t count) : x(count), y(count) { std::iota(x.begin(), x.end(), 0.0); }
  std::vector<double> x, y;
  double sum = 0;

  void set(std::size_t i) { y[i] = 1.5 * x[i] + 2; }
  [[nodiscard]] bool are_right() const {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (y[i] != 1.5 * x[i] + 2) return false;
    const auto last = static_cast<double>(x.size() - 1);
    return sum == last * (last + 1) / 2;  // all sums of these are exact
  }
};

[[gnu::noinline]] void run_plainly(arrays& on) {
  for (std::size_t i = 0; i < on.y.size(); ++i) on.set(i);
}

[[gnu::noinline]] void run_in_parallel(arrays& on) {
  nearfork::parallel_for(std::size_t{0}, on.y.size(), [&](std::size_t i) { on.set(i); });
}

[[gnu::noinline]] void sum_plainly(arrays& on) {
  double sum = 0;
  for (std::size_t i = 0; i < on.x.size(); ++i) sum += on.x[i];
  on.sum = sum;
}

[[gnu::noinline]] void sum_in_parallel(arrays& on) {
  on.sum = nearfork::parallel_reduce(
      std::size_t{0}, on.x.size(), 0.0, [&](std::size_t i) { return on.x[i]; }, std::plus<>());
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
  constexpr double never = 1e300;
  std::array<double, 2> least_plain{never, never};
  std::array<double, 2> least_parallel{never, never};
  for (int round = 0; round < rounds; ++round) {
    least_plain[0] = std::min(least_plain[0], time_of(run_plainly, plain, times));
    least_parallel[0] = std::min(least_parallel[0], time_of(run_in_parallel, parallel, times));
    least_plain[1] = std::min(least_plain[1], time_of(sum_plainly, plain, times));
    least_parallel[1] = std::min(least_parallel[1], time_of(sum_in_parallel, parallel, times));
  }
  std::printf("%9zu", count);
  for (const std::size_t kind : {0, 1})
    std::printf(" %10.3f %10.3f %8.2f", least_plain[kind], least_parallel[kind],
                least_parallel[kind] / least_plain[kind]);
  std::printf("\n");
  return plain.are_right() && parallel.are_right();
}

bool compare_all(const char* where) {
  std::printf("called %s\n  doubles   plain us   for us       ratio   plain us   reduce us    ratio\n", where);
  return std::ranges::all_of(counts, compare);
}

}  // namespace

int main(int argc, char** argv) {
  const int workers = argc > 1 ? std::atoi(argv[1]) : 2;
  if (workers < 1) {
    std::fprintf(stderr, "short_loops: a number of workers is expected, not \"%s\"\n", argv[1]);
    return 2;
  }
  setenv("NEARFORK_WORKERS", std::to_string(workers).c_str(), 1);
  nearfork::runtime& runtime = nearfork::process_runtime();
  std::printf("%d workers\n", workers);
  bool right = false;
  runtime.run([&] { right = compare_all("in a worker"); });
  if (right) right = compare_all("outside workers");
  if (!right) std::fprintf(stderr, "short_loops: a loop has a wrong answer\n");
  return right ? 0 : 1;
}
