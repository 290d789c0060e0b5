// A document as one HTML file that needs nothing else: no network, no other file.
#pragma once

#include <string>
#include <string_view>

#include "tools/report/document.hpp"

namespace nearfork::tools {

/// Throws: nearfork::error if the command was built without D3, from which the charts are made.
void require_page_parts();
/// Throws: as require_page_parts().
[[nodiscard]] std::string page_of(const report_document& document);

/// JSON for a script element: nothing in it can end that element.
[[nodiscard]] std::string script_safe(std::string_view json);

/// The files of tools/report/page/ and D3, which the build embeds. Empty: not there at build time.
[[nodiscard]] std::string_view page_part(std::string_view name);

}  // namespace nearfork::tools
