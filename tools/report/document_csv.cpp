#include "tools/report/document_csv.hpp"

#include <cstddef>

#include "tools/output/csv.hpp"
#include "tools/output/json_dump.hpp"
#include "tools/report/document_json.hpp"

namespace nearfork::tools {
namespace {

using nlohmann::ordered_json;

std::string csv_text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : dumped(value, -1);
}

/// Where a value stands: of which file, in which part of its view, in which row of the part.
struct cell_place {
  std::string file;
  std::string part;
  std::string row;
};

class csv_lines {
 public:
  std::string take() && { return std::move(text_); }

  void add_list(const cell_place& at, const ordered_json& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = std::to_string(i + 1);
      add({at.file, at.part, at.row.empty() ? place : at.row + "." + place}, "", list[i]);
    }
  }

  void add(const cell_place& at, const std::string& member, const ordered_json& value) {
    if (value.is_array()) {
      const bool is_part = at.row.empty() || member.empty();
      return add_list(is_part ? at : cell_place{at.file, at.part, at.row + "." + member}, value);
    }
    if (!value.is_object()) {
      text_ += csv_line({at.file, at.part, at.row, member, csv_text_of(value)});
      return;
    }
    const cell_place inside{at.file, at.part, member.empty() ? at.row : at.row + "." + member};
    for (const auto& [name, each] : value.items()) add(inside, name, each);
  }

 private:
  std::string text_ = csv_line({"file", "part", "row", "member", "value"});
};

}  // namespace

std::string csv_of(const std::vector<advice_item>& advice) {
  std::string text = csv_line({"id", "gain", "gain_from", "what", "evidence", "command"});
  for (const advice_item& one : advice)
    text +=
        csv_line({one.id, one.gain ? csv_text_of(*one.gain) : "", one.gain_from, one.what, one.evidence, one.command});
  return text;
}

std::string csv_of(const report_document& document) {
  const ordered_json all = json_of(document);
  csv_lines lines;
  for (const char* const part : {"answer", "notes", "advice", "missing"}) lines.add_list({"", part, ""}, all.at(part));
  for (const ordered_json& view : all.at("views")) {
    const auto file = view.at("file").get<std::string>();
    for (const auto& [name, value] : view.items()) {
      if (value.is_array()) lines.add_list({file, name, ""}, value);
      else if (name != "file") lines.add({file, "view", ""}, name, value);
    }
  }
  return std::move(lines).take();
}

}  // namespace nearfork::tools
