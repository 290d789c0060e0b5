// What a folder of bench/ gives to the harness: one problem at one size, and what each contender's file solves it with.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace bench {

/// One problem, prepared. solve() may be called again and again; right() judges the latest answer.
struct problem {
  std::function<void()> solve;
  std::function<bool()> right;
  double operations;           // by which the time is divided: forks, tasks or bodies
  std::string_view operation;  // what one of them is called
};

/// By the problem's folder. Throws std::invalid_argument where the size makes no sense.
[[nodiscard]] problem make_problem(std::uint64_t size);
/// The size of the papers and the peers' own benchmarks.
[[nodiscard]] std::uint64_t usual_size();

/// By the contender's crew: calls `work` once where its parallel calls find `workers` threads that have been started.
void inside(unsigned workers, const std::function<void()>& work);

}  // namespace bench
