// Any bytes as a file for a report give a clear error, or views, and a document of them. Memory stays in proportion to
// the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nearfork/error.hpp>

#include "tools/report/document_json.hpp"
#include "tools/report/findings.hpp"
#include "tools/report/inputs/inputs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearfork;
  try {
    const auto made = tools::document_of(tools::views_of({reinterpret_cast<const char*>(data), size}, "fuzz"), {});
    if (made.views.empty() || tools::json_of(made).empty()) std::abort();
    for (const tools::report_view& one : made.views)
      if (one.timeline && tools::timeline_json(*one.timeline).empty()) std::abort();
  } catch (const error& refused) {
    if (!std::string_view(refused.what()).starts_with("nearfork: ")) std::abort();
  }
  return 0;
}
