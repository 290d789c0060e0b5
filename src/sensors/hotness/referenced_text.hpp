// How many bytes of each mapping were used, from the text of /proc/self/smaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sensors/hotness/heat_source.hpp"

namespace nearfork {

struct referenced_mapping {
  address_range range{};
  std::uint64_t referenced_bytes = 0;  // at most the range's
};

/// The mappings that overlap `within`, ascending. nullopt: the text is not in the form of smaps, or has a mapping
/// without "Referenced". Linear in the text.
[[nodiscard]] std::optional<std::vector<referenced_mapping>> referenced_mappings(std::string_view smaps,
                                                                                 address_range within);

}  // namespace nearfork
