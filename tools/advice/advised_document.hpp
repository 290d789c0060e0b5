// A report with advice, from files.
#pragma once

#include <string>
#include <vector>

#include "tools/report/document.hpp"

namespace nearfork::tools {

struct document_request {
  std::vector<std::string> files{};
  std::vector<std::string> machines{};  // on which recordings are simulated; empty: this machine
  bool simulates = true;                // recordings
  bool names_alone = false;             // views say the files' names without their folders
};

/// Reads the files, simulates the first recording among them, and adds the advice that all of it supports.
/// Throws: nearfork::error if a file cannot be read or is malformed, or a machine is not known.
[[nodiscard]] report_document advised_document(const document_request& request);

/// The advice as text for a terminal: the answer, then the items.
[[nodiscard]] std::string advice_text(const report_document& document, bool has_colours);

}  // namespace nearfork::tools
