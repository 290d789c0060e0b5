// Tables as lines of fields with commas between, in the form of RFC 4180: for spreadsheets, R and pandas.
#pragma once

#include <string>
#include <vector>

namespace nearfork::tools {

/// The field in quotation marks if it has a comma, a quotation mark or a line break.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Ends with a line break.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace nearfork::tools
