// Events of the kernel's perf_event, opened in one way.
#pragma once

#include "sensors/counting_system.hpp"

struct perf_event_attr;

namespace nearfork {

/// The event in the kernel's form. What is counted, sampled or left out is the caller's to say.
[[nodiscard]] perf_event_attr attr_of(const event_code& event) noexcept;

/// `thread`: 0 for the calling one. `leader`: the file of the group's first event; negative: this is the first. Returns
/// a file, or a negative number with errno set.
[[nodiscard]] int open_perf_event(perf_event_attr& wanted, int thread, int leader) noexcept;

}  // namespace nearfork
