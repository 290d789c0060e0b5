// Advice as pure functions of what a report knows. Each rule gives at most one item.
#pragma once

#include <vector>

#include "tools/advice/evidence.hpp"
#include "tools/report/document.hpp"

namespace nearfork::tools {

/// All advice that the evidence supports, in no order; sorted_by_gain() orders it.
[[nodiscard]] std::vector<advice_item> advice_from(const std::vector<report_view>& views,
                                                   const advice_evidence& evidence);

}  // namespace nearfork::tools
