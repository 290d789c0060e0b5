// A function of one number that calls itself three times.
#pragma once

#include <cstdint>

namespace styles {

std::uint64_t solve(unsigned n);

}  // namespace styles
