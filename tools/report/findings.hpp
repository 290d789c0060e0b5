// What stands at the top of a report: the answer in three lines, and what no input holds. Pure.
#pragma once

#include <vector>

#include "tools/report/document.hpp"

namespace nearfork::tools {

/// The whole document: views in their order, advice sorted by gain, the answer, and the missing parts.
[[nodiscard]] report_document document_of(std::vector<report_view> views, std::vector<advice_item> advice);

/// At most five items: those with a gain first, largest first; then those without, in their order.
[[nodiscard]] std::vector<advice_item> sorted_by_gain(std::vector<advice_item> items);

/// Of the region with the most work in the run, the iteration with the median time: the first is often slower.
/// nullptr: none is known.
[[nodiscard]] const bracket_view* typical_bracket(const std::vector<report_view>& views);

/// True if the work of its tasks is at least half of what an iteration took on one worker. Else most of the time is
/// elsewhere: in tasks that recordings do not have, in waits, or in other programs.
[[nodiscard]] bool is_explained(const bracket_view& of) noexcept;

/// The least time that this many workers need for work and span, memory and scheduling aside.
[[nodiscard]] double least_time_ns(const bracket_view& of) noexcept;

}  // namespace nearfork::tools
