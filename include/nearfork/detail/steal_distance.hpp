// The steal distance, for machines, plans and reports. It is in detail/ because all rooms may include detail/; users
// get it from run_report.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearfork {

/// The level of the machine where thief and victim meet.
enum class steal_distance : std::uint8_t { core, cache, node, package, machine };
inline constexpr std::size_t steal_distances = 5;
[[nodiscard]] std::string_view name_of(steal_distance distance) noexcept;

}  // namespace nearfork
