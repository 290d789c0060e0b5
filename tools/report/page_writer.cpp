#include "tools/report/page_writer.hpp"

#include <fmt/format.h>

#include <nearfork/error.hpp>

#include "tools/output/json_dump.hpp"
#include "tools/report/document_json.hpp"

namespace nearfork::tools {
namespace {

std::string html_text(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '&') made += "&amp;";
    else if (c == '<') made += "&lt;";
    else if (c == '>') made += "&gt;";
    else made += c;
  }
  return made;
}

void add_script(std::string& to, std::string_view text) {
  to += "<script>\n";
  to += text;
  to += "</script>\n";
}

void add_data(std::string& to, const std::string& id, const std::string& json) {
  to += fmt::format("<script type=\"application/json\" id=\"{}\">", id);
  to += script_safe(json);
  to += "</script>\n";
}

constexpr std::string_view scripts[] = {"words.js", "tables.js", "charts.js", "timeline.js", "tree.js", "page.js"};

}  // namespace

std::string script_safe(std::string_view json) {
  std::string made;
  made.reserve(json.size());
  for (const char c : json) {
    if (c == '<') made += "\\u003c";
    else made += c;
  }
  return made;
}

void require_page_parts() {
  if (page_part("d3.min.js").empty())
    throw error(
        "nearfork: this nearfork was built without D3, which draws the charts of a page; install Debian's package "
        "node-d3, run cmake again, and build nearfork");
}

std::string page_of(const report_document& document) {
  require_page_parts();
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>nearfork report: {}</title>\n<style>\n",
      html_text(dumped(nlohmann::json(document.title), -1)));
  page += page_part("page.css");
  page += "</style>\n</head>\n<body>\n";
  page += page_part("page.html");
  add_data(page, "document", dumped(json_of(document), -1));
  for (std::size_t i = 0; i < document.views.size(); ++i)
    if (document.views[i].timeline)
      add_data(page, fmt::format("timeline-{}", i), timeline_json(*document.views[i].timeline));
  if (const std::string_view licence = page_part("d3.licence"); !licence.empty() && licence.find("--") == licence.npos)
    page += fmt::format("<!-- D3, which follows, is distributed under this licence:\n{}-->\n", licence);
  add_script(page, page_part("d3.min.js"));
  for (const std::string_view name : scripts) add_script(page, page_part(name));
  return page + "</body>\n</html>\n";
}

}  // namespace nearfork::tools
