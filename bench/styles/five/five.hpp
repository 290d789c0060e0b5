// A function of one number that calls itself five times.
#pragma once

#include <cstdint>

namespace styles {

std::uint64_t solve(unsigned n);

}  // namespace styles
