// A document as JSON: what the page shows is exactly this.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/report/document.hpp"

namespace nearfork::tools {

/// Without the timelines' events, which are apart (timeline_json()): a view with a timeline has "timeline": true. What
/// is not known is left out.
[[nodiscard]] nlohmann::ordered_json json_of(const report_document& document);
[[nodiscard]] nlohmann::ordered_json json_of(const advice_item& item);

/// Columns on one line. "begin" of slices and "at" of instants are differences to the one before on the same track.
[[nodiscard]] std::string timeline_json(const timeline_view& line);

}  // namespace nearfork::tools
