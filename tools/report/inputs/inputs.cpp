#include "tools/report/inputs/inputs.hpp"

#include <algorithm>

#include <nearfork/error.hpp>

#include "recording/file_sections.hpp"
#include "recording/recording_file.hpp"
#include "recording/whole_file.hpp"

namespace nearfork::tools {
namespace {

constexpr std::string_view what_may_be =
    "a report is made from a run report (NEARFORK_REPORT=r.json), a trace (nearfork trace), a recording (nearfork "
    "record), a simulation (nearfork sim --json) or a benchmark (nearfork bench --json)";

/// Each packet of a trace begins with this: field 1, with a length.
constexpr char first_of_trace = 0x0a;

bool is_json(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (content[first] == '{' || content[first] == '[');
}

}  // namespace

bool is_recording(std::string_view content) {
  return content.starts_with(recordings::recording_magic);
}

std::vector<report_view> views_of(std::string_view content, const std::string& file) {
  if (is_recording(content)) return {view_of_recording(recordings::from_bytes(content, file), file)};
  if (is_json(content)) return views_of_json(content, file);
  if (content.starts_with(first_of_trace)) return views_of_trace(content, file);
  if (content.empty()) throw error("nearfork: " + file + " is empty; " + std::string(what_may_be));
  if (content.starts_with("run report of "))
    throw error("nearfork: " + file +
                " is a run report as text; write it as JSON: NEARFORK_REPORT must name a file that ends in .json");
  if (content.starts_with("nfring"))
    throw error("nearfork: " + file +
                " is the ring file of a program that was killed or still runs; make a trace of it: " +
                "nearfork trace recover " + file + " -o t.pftrace");
  throw error("nearfork: " + file + ", byte 0: is none of the files that nearfork writes; " + std::string(what_may_be));
}

std::vector<report_view> load_views(const std::string& path) {
  return views_of(recordings::read_whole_file(path), path);
}

}  // namespace nearfork::tools
