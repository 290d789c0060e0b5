// Which event counts the misses of the last private cache level, by processor.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "sensors/cpu_model.hpp"

namespace nearfork {

/// One processor family, or some models of it.
struct miss_event_row {
  /// Counters are few, and all events of a row must fit at once.
  static constexpr std::size_t most_events = 3;

  std::string_view vendor;
  unsigned family;
  unsigned first_model;
  unsigned last_model;
  std::array<std::string_view, most_events> events;  // libpfm4's names; the misses are their sum
  unsigned line_bytes;                               // bytes that one miss brings in
  std::string_view source;                           // where the event is described, and why this one is used
};

[[nodiscard]] std::span<const miss_event_row> miss_event_table();

/// nullptr: the event of this processor was not looked up, or its cores are of several kinds, which no single event
/// counts alike.
[[nodiscard]] const miss_event_row* miss_events_of(const cpu_model& which);

}  // namespace nearfork
