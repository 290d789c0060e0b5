// Loops, reductions, scans, cancellation, placed memory.
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <memory_resource>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using namespace programs;

const program matrix("parallel_for_matrix", [] {
  constexpr int n = 60;
  std::vector<std::vector<long>> a(n, std::vector<long>(n, 2)), b(n, std::vector<long>(n, 3)),
      c(n, std::vector<long>(n));
  nearfork::parallel_for(0, n, [&](int i) {
    nearfork::parallel_for(0, n, [&, i](int j) {
      const auto row = static_cast<std::size_t>(i);
      const auto column = static_cast<std::size_t>(j);
      for (std::size_t k = 0; k < n; ++k) c[row][column] += a[row][k] * b[k][column];
    });
  });
  for (const auto& row : c)
    for (const long value : row) expect_equal(value, 6 * n, "a product");
});

const program stencil("stencil_sweeps", [] {
  std::vector<double> now(4000, 1.0), next(4000, 1.0);
  now.front() = next.front() = 0.0;
  for (int sweep = 0; sweep < 30; ++sweep) {
    nearfork::parallel_for(std::size_t{1}, now.size() - 1,
                           [&](std::size_t i) { next[i] = (now[i - 1] + now[i] + now[i + 1]) / 3; },
                           {.grain = 100, .cancel = {}});
    std::swap(now, next);
  }
  expect(now[1] > 0 && now[1] < 1 && now[2000] == 1.0, "heat flows from the border");
});

const program reduce("reduce_strings", [] {
  const std::string all = nearfork::parallel_reduce(
      0, 2000, std::string(), [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); },
      [](std::string left, std::string right) { return left + right; });
  expect_equal(all.size(), std::size_t{2000}, "a letter each");
  for (std::size_t i = 0; i < all.size(); ++i) expect_equal(all[i], static_cast<char>('a' + i % 26), "in order");
});

const program scan("scan_strings", [] {
  std::vector<std::string> words(300);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::to_string(i % 10);
  std::vector<std::string> out(words.size());
  const std::string total = nearfork::parallel_scan_inclusive(
      words.begin(), words.end(), out.begin(), std::string(),
      [](const std::string& a, const std::string& b) { return a + b; }, {.grain = 10, .cancel = {}});
  expect_equal(out.back(), total, "the last is the fold of all");
  for (std::size_t i = 0; i < out.size(); ++i) expect_equal(out[i], total.substr(0, i + 1), "a prefix");
});

const program cancelled("cancellation", [] {
  for (int round = 0; round < 10; ++round) {
    nearfork::cancellation_source source;
    std::atomic<long> bodies{0};
    std::thread outside([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      source.cancel();
    });
    nearfork::parallel_for(0, 1'000'000, [&](int) { bodies.fetch_add(1, std::memory_order_relaxed); },
                           {.grain = 50, .cancel = source.token()});
    outside.join();
    expect(bodies.load() <= 1'000'000, "no body twice");
  }
});

void quicksort(std::vector<int>& v, std::size_t lo, std::size_t hi) {
  const auto at = [&](std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
  if (hi - lo < 64) return std::sort(at(lo), at(hi));
  const int pivot = v[lo + (hi - lo) / 2];
  const auto middle = std::partition(at(lo), at(hi), [=](int x) { return x < pivot; });
  const auto above = std::partition(middle, at(hi), [=](int x) { return x == pivot; });
  const auto m = static_cast<std::size_t>(middle - v.begin());
  const auto a = static_cast<std::size_t>(above - v.begin());
  nearfork::fork_join([&] { quicksort(v, lo, m); }, [&] { quicksort(v, a, hi); });
}
const program sorting("sorting_in_place", [] {
  std::vector<int> numbers(50000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 50021);
  nearfork::run([&] { quicksort(numbers, 0, numbers.size()); });
  expect(std::is_sorted(numbers.begin(), numbers.end()), "sorted");
});

/// One task allocates nodes, another task frees them.
const program pools("allocators_across_tasks", [] {
  using list = std::list<std::string, nearfork::allocator<std::string>>;
  for (int round = 0; round < 20; ++round) {
    std::vector<list> lists(40);
    nearfork::parallel_for(
        0, 40,
        [&](int i) {
          for (int k = 0; k < 200; ++k)
            lists[static_cast<std::size_t>(i)].push_back("number " + std::to_string(k) + " of a list");
        },
        {.grain = 1, .cancel = {}});
    nearfork::parallel_for(0, 40,
                           [&](int i) {
                             list& mine = lists[static_cast<std::size_t>(39 - i)];
                             expect_equal(mine.size(), std::size_t{200}, "all of a list");
                             mine.clear();
                             mine.emplace_back(i, 'x');
                           },
                           {.grain = 1, .cancel = {}});
  }
});

const program arrays("placed_arrays", [] {
  nearfork::placed_resource resource;
  for (int round = 0; round < 6; ++round) {
    nearfork::array<double> large(1 << 18);
    nearfork::array<std::unique_ptr<int>> owners(5000);
    std::pmr::vector<int> small(1000, &resource);
    nearfork::region("fill", [&] {
      nearfork::parallel_for(std::size_t{0}, large.size(), [&](std::size_t i) { large[i] = static_cast<double>(i); });
      nearfork::parallel_for(std::size_t{0}, owners.size(),
                             [&](std::size_t i) { owners[i] = std::make_unique<int>(1); });
      nearfork::parallel_for(std::size_t{0}, small.size(), [&](std::size_t i) { small[i] = 1; });
    });
    expect_equal(large[large.size() - 1], static_cast<double>(large.size() - 1), "the last number");
    expect_equal(std::accumulate(small.begin(), small.end(), 0), 1000, "all ones");
  }
});

/// At the program's end only memory of nearfork says where these are.
const program owned_at_exit("owned_at_exit", [] {
  static nearfork::array<std::unique_ptr<std::string>> large(1 << 17);
  static auto& small = *new std::list<std::unique_ptr<int>, nearfork::allocator<std::unique_ptr<int>>>;
  nearfork::parallel_for(std::size_t{0}, large.size(), [&](std::size_t i) {
    if (i % 1000 == 0) large[i] = std::make_unique<std::string>(100, 'x');
  });
  for (int i = 0; i < 100; ++i) small.push_back(std::make_unique<int>(i));
});

}  // namespace
