// What is compared: each problem at the sizes that suit its contenders.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

enum class who : std::uint8_t {
  all,
  cheap_spawners,  // leaves out OpenMP and oneTBB, which would need minutes at this size
};

struct exhibit {
  std::string_view problem;
  std::uint64_t size;
  std::uint64_t quick_size;
  who takes_part;
  unsigned runs;                // in one process, after a warm-up; a single run has no warm-up
  std::string_view input = {};  // the word of --input, where a problem has several
};

[[nodiscard]] std::span<const exhibit> exhibits();

}  // namespace bench
