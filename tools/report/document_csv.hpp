// A report's document, and advice, as lines for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "tools/report/document.hpp"

namespace nearfork::tools {

/// One line for each item, in the order of the items.
[[nodiscard]] std::string csv_of(const std::vector<advice_item>& advice);

/// One line for each number and each text of the document's JSON: file, part, row, member, value. The row is the place
/// in the part's list, from 1 on; "3.iterations.2" is in a list of the third row.
[[nodiscard]] std::string csv_of(const report_document& document);

}  // namespace nearfork::tools
