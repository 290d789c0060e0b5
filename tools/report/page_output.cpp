#include "tools/report/page_output.hpp"

#include "tools/report/findings.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/report/page_writer.hpp"

namespace nearfork::tools {
namespace {

/// First of all, before the work whose results the page shows.
std::string checked(const std::string& path) {
  require_page_parts();
  return path;
}

}  // namespace

page_output::page_output(const std::string& path) : output_(checked(path), "flag --html") {}

void page_output::write(std::string_view json, const std::string& title) const {
  output_.write(page_of(document_of(views_of_json(json, title), {})));
}

}  // namespace nearfork::tools
