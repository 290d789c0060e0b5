// What nearfork means to reach, each judged from the comparisons of one run.
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

/// Targets whose contenders did not run are not named.
[[nodiscard]] std::vector<verdict> judge(const std::vector<comparison>& all);

}  // namespace bench
