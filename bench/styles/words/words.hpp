// A function whose result does not come in registers, and which calls itself twice.
#pragma once

#include <cstdint>

namespace styles {

struct four_words {
  std::uint64_t values[4];
};
four_words solve(unsigned n);

}  // namespace styles
