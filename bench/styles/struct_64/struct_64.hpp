// A function of 64 bytes and a number that calls itself twice.
#pragma once

#include <cstdint>

namespace styles {

struct block {
  std::uint64_t values[8];
};
/// The block comes by value, as in a search that hands its state on: the serial program copies it for each call, too.
std::uint64_t solve(block given, unsigned n);

}  // namespace styles
