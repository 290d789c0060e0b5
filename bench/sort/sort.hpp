// Sorting with each library's own sort.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sort {

/// Each contender defines both.
void solve(std::vector<std::uint32_t>& numbers);
void solve(std::vector<std::string>& words);

}  // namespace sort
