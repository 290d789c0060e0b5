// Any accesses of any cores, for comparing memory with a slow counterpart of it.
#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

struct random_touch {
  std::uint32_t core = 0;
  std::uint32_t first = 0;  // line
  std::uint32_t count = 1;  // of lines
  access_kind kind = access_kind::read;
};

/// One to `most`, of at most 16 lines each, a third of them writes. `lines`: more than 16.
inline std::vector<random_touch> random_touches(const machine& where, std::uint32_t lines, std::size_t most) {
  const auto cores = static_cast<std::uint32_t>(where.cores().size());
  const auto length = *rc::gen::inRange<std::size_t>(1, most);
  const auto choices = *rc::gen::container<std::vector<std::uint32_t>>(length, rc::gen::arbitrary<std::uint32_t>());
  std::vector<random_touch> made;
  for (const std::uint32_t choice : choices)
    made.push_back({.core = choice % cores,
                    .first = choice / cores % (lines - 16),
                    .count = 1 + choice / cores / lines % 16,
                    .kind = choice % 3 == 0 ? access_kind::write : access_kind::read});
  return made;
}

}  // namespace nearfork::sim
