// What a folder of bench/ provides for the harness: one problem at one size, and each contender's solution.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace bench {

/// One prepared problem. solve() may be called repeatedly; right() judges the latest answer.
struct problem {
  std::function<void()> solve;
  std::function<bool()> right;
  double operations;           // the time is divided by this count of forks, tasks or bodies
  std::string_view operation;  // the name of one operation
};

/// Defined in the problem's folder. Throws std::invalid_argument where the size makes no sense.
[[nodiscard]] problem make_problem(std::uint64_t size);
/// The size that the papers and the peers' own benchmarks use.
[[nodiscard]] std::uint64_t usual_size();

/// For make_problem(): the word of --input, else `usual`. Problems that do not ask have one kind of input, and the
/// harness refuses the option.
[[nodiscard]] std::string_view input_or(std::string_view usual);

/// Defined by the contender's crew: calls `work` once, where its parallel calls find `workers` started threads.
void inside(unsigned workers, const std::function<void()>& work);

}  // namespace bench
