// A member function that calls itself twice.
#pragma once

#include <cstdint>

namespace styles {

struct calculation {
  std::uint64_t unit;  // read at the leaves, so that `this` is needed
  std::uint64_t solve(unsigned n) const;
};

}  // namespace styles
