// Whether other programs ran beside one that was measured: then its times say little.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork::tools {

/// All processors of the system together, since it started, in hundredths of a second.
struct processor_times {
  std::uint64_t all = 0;
  std::uint64_t busy = 0;
};

/// The first line of /proc/stat. nullopt: the text is something else.
[[nodiscard]] std::optional<processor_times> processor_times_in(std::string_view stat);
/// nullopt: the system does not tell.
[[nodiscard]] std::optional<processor_times> processor_times_now();

/// The part of all processors' time that others took, if the program took `own_ns`. nullopt: too short a time to tell.
[[nodiscard]] std::optional<double> part_of_others(const processor_times& before, const processor_times& after,
                                                   std::uint64_t own_ns);

/// A sentence for the reader of measured times; empty: others took little.
[[nodiscard]] std::string note_on_others(std::optional<double> part);

}  // namespace nearfork::tools
