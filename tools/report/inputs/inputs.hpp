// Files that a report is made from, recognised by their content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recording/recording.hpp"
#include "tools/report/document.hpp"

namespace nearfork::tools {

/// The views of a file's content, in its order: one for each run report, trace, recording and benchmark, and one for
/// each machine of a simulation. Memory is in proportion to the content.
/// Throws: nearfork::error that names the file (`file`), the place in it and what to do, if the content is none of
/// these, or is malformed.
[[nodiscard]] std::vector<report_view> views_of(std::string_view content, const std::string& file);

/// Throws: nearfork::error as views_of(), and if the file cannot be read.
[[nodiscard]] std::vector<report_view> load_views(const std::string& path);

/// The same for one kind of file each.
/// One for each process, in their order: `nearfork sim --trace` writes one for each simulation.
[[nodiscard]] std::vector<report_view> views_of_trace(std::string_view content, const std::string& file);
[[nodiscard]] report_view view_of_recording(const recordings::recording& recorded, const std::string& file);
[[nodiscard]] std::vector<report_view> views_of_json(std::string_view content, const std::string& file);

/// True if the content begins as a recording does.
[[nodiscard]] bool is_recording(std::string_view content);

}  // namespace nearfork::tools
