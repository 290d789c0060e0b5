// A function of a span that calls itself with two parts of it.
#pragma once

#include <cstdint>
#include <span>

namespace styles {

std::uint64_t solve(std::span<const std::uint64_t> values);

}  // namespace styles
