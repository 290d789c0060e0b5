// The search for the balancing factor alpha: SAWS, Algorithm 1. The big side holds alpha/(alpha + 1) of the data, the
// little side the rest. As long as the sides want to cross no more often than under the last alpha, alpha grows. Once
// they want to cross more often, the alpha before is the result.
//
// As printed, the algorithm divides by zero when two iterations saw equally many crossings, raises alpha where it means
// to set it back, ends at the first crossing of iteration 0, and takes steps of 2^i, which leave the range of sensible
// shares within five iterations. docs/PAPERS.md has the readings that are built here.
//
// Crossings do not say which side ran out of work: from where all workers of one side wait to where all of the other
// do, their number hardly changes. So time decides where it is clear: the search goes on where iterations have become
// faster, and back where they have become slower. By crossings alone it went to its bound, simulated on domains of
// which two compute twice as fast: the big ones held 0.89 of the data, and an iteration took 1.4 times as long as with
// equal shares.
//
// Without state, as tune(): each call follows the search from its start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearfork {

struct balance_rule {
  double unit = 1.0 / 16;        // the first step; each further step doubles before it is divided
  std::size_t most_trials = 20;  // the paper's programs settle within 20 iterations (figure 7)
  double most_times = 8;         // alpha stays within so many times its first value
  double least_loss = 0.01;      // what takes longer by more than this, and by more than both spreads, is slower
  bool as_printed = false;       // line 7: crossings alone decide, and one more is more; least_loss does not count
};

/// What the iterations of one trial saw.
struct balance_trial {
  double crossings = 0;  // wanted, per iteration
  std::uint64_t median_ns = 0;
  std::uint64_t spread_ns = 0;  // as iteration_digest has it
};

struct balance {
  double factor = 1;      // alpha for the next iteration
  std::size_t trial = 0;  // which of `factors` it is
  bool settled = false;
  std::vector<double> factors;  // of all trials up to now, the present one included
};

/// `even`: the factor of the first trial, at which all domains have the same share. `seen`: the trials that are over,
/// in order.
[[nodiscard]] balance search_balance(double even, std::span<const balance_trial> seen, const balance_rule& rule = {});

}  // namespace nearfork
