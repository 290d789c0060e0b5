// The targets of nearfork, each judged from the comparisons of one run.
#pragma once

#include <string>
#include <vector>

#include "bench/compare/comparison.hpp"

namespace bench {

struct verdict {
  std::string target;
  std::string measured;
  bool met = false;
};

/// Leaves out targets whose contenders did not run.
[[nodiscard]] std::vector<verdict> judge(const std::vector<comparison>& all);

}  // namespace bench
