// What is compared: each problem at the sizes that suit its contenders.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

enum class who : std::uint8_t {
  all,
  cheap_spawners,  // who would need minutes at this size, OpenMP and oneTBB, is left out
};

struct exhibit {
  std::string_view problem;
  std::uint64_t size;
  std::uint64_t quick_size;
  who takes_part;
  unsigned runs;  // in one process, after a warm-up; a single run has none
};

[[nodiscard]] std::span<const exhibit> exhibits();

}  // namespace bench
