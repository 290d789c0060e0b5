#include "tools/output/result_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/output/csv.hpp"

namespace nearfork::tools {
namespace {

std::string text_of(const table_cell& cell, const table_column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.{}f}", *number, column.decimals);
  return "-";
}

bool is_number(const result_table& table, std::size_t column) {
  return std::ranges::any_of(table.rows,
                             [&](const auto& row) { return std::holds_alternative<double>(row.at(column)); });
}

std::vector<std::size_t> widths_of(const result_table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    widths.push_back(table.columns[i].name.size());
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], text_of(row.at(i), table.columns[i]).size());
  }
  return widths;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  return right ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

}  // namespace

std::string text_of(const result_table& table) {
  const auto widths = widths_of(table);
  std::string text = table.title + "\n";
  const auto add_line = [&](const auto& cell_text) {
    std::string line = " ";
    for (std::size_t i = 0; i < widths.size(); ++i)
      line += fmt::format(" {}", padded(cell_text(i), widths[i], is_number(table, i)));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([&](std::size_t i) { return table.columns[i].name; });
  for (const auto& row : table.rows) add_line([&](std::size_t i) { return text_of(row.at(i), table.columns[i]); });
  for (const std::string& note : table.notes) text += fmt::format("  {}\n", note);
  return text;
}

std::string markdown_of(const result_table& table) {
  std::string text = fmt::format("### {}\n\n|", table.title);
  for (const table_column& column : table.columns) text += fmt::format(" {} |", column.name);
  text += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += is_number(table, i) ? "---:|" : "---|";
  for (const auto& row : table.rows) {
    text += "\n|";
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format(" {} |", text_of(row[i], table.columns[i]));
  }
  text += "\n";
  for (const std::string& note : table.notes) text += fmt::format("\n{}\n", note);
  return text;
}

std::string csv_of(const result_table& table) {
  std::string text;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const table_cell& cell = table.rows[r].at(i);
      if (std::holds_alternative<std::monostate>(cell)) continue;
      const auto* const number = std::get_if<double>(&cell);
      text += csv_line({table.id, std::to_string(r + 1), table.columns[i].name,
                        number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(cell)});
    }
  return text;
}

nlohmann::json json_of(const result_table& table) {
  auto rows = nlohmann::json::array();
  for (const auto& row : table.rows) {
    nlohmann::json made;
    for (std::size_t i = 0; i < row.size(); ++i) {
      nlohmann::json& cell = made[table.columns[i].name];
      if (const auto* text = std::get_if<std::string>(&row[i])) cell = *text;
      else if (const auto* number = std::get_if<double>(&row[i])) cell = *number;
    }
    rows.push_back(made);
  }
  return {{"id", table.id}, {"title", table.title}, {"notes", table.notes}, {"rows", rows}};
}

}  // namespace nearfork::tools
