#include "bench/compare/exhibits.hpp"

namespace bench {
namespace {

constexpr exhibit all_exhibits[] = {
    {"fib", 40, 30, who::cheap_spawners, 1},
    {"fib", 34, 24, who::all, 1},
    {"integrate", 1500, 100, who::cheap_spawners, 1},
    {"integrate", 400, 50, who::all, 1},
    {"nqueens", 12, 9, who::all, 3},
    {"skynet", 1'000'000, 10'000, who::all, 3},
    {"uts", 1, 1, who::all, 1},
    {"uts", 3, 3, who::all, 1},
    {"mergesort", std::uint64_t{1} << 22, std::uint64_t{1} << 16, who::all, 3},
    {"sort", std::uint64_t{1} << 22, std::uint64_t{1} << 16, who::all, 3, "random"},
    {"sort", std::uint64_t{1} << 22, std::uint64_t{1} << 16, who::all, 3, "sorted"},
    {"sort", std::uint64_t{1} << 22, std::uint64_t{1} << 16, who::all, 3, "reversed"},
    {"sort", std::uint64_t{1} << 22, std::uint64_t{1} << 16, who::all, 3, "equal"},
    {"sort", std::uint64_t{1} << 20, std::uint64_t{1} << 14, who::all, 3, "strings"},
    {"matmul", 768, 128, who::all, 3},
    {"tiny_loop", 100'000'000, 1'000'000, who::all, 3},
    {"reduce", 100'000'000, 1'000'000, who::all, 3},
    {"long_leaves", 64, 8, who::all, 3},
    {"one_spawner", 1'000'000, 10'000, who::all, 3},
    {"dataflow", 10'000, 100, who::all, 3},
};

}  // namespace

std::span<const exhibit> exhibits() {
  return all_exhibits;
}

}  // namespace bench
