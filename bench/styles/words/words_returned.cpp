#include <nearfork/nearfork.hpp>

#include "bench/styles/words/words.hpp"

styles::four_words styles::solve(unsigned n) {
  if (n < 2) return {{n, 1, 2, 3}};
  const auto [a, b] = nearfork::fork_join([=] { return solve(n - 1); }, [=] { return solve(n - 2); });
  return {{a.values[0] + b.values[0], a.values[1] + b.values[1],  //
           a.values[2] + b.values[2], a.values[3] + b.values[3]}};
}
