// A table of results that can be shown as text, in a page, or as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

namespace nearfork::tools {

/// std::monostate: there is no such number.
using table_cell = std::variant<std::monostate, std::string, double>;

struct table_column {
  std::string name;
  int decimals = 1;  // of its numbers
};

struct result_table {
  std::string id;  // for JSON and file names: "laws-gain"
  std::string title;
  std::vector<std::string> notes{};  // one paragraph each
  std::vector<table_column> columns{};
  std::vector<std::vector<table_cell>> rows{};
};

[[nodiscard]] std::string text_of(const result_table& table);
[[nodiscard]] std::string markdown_of(const result_table& table);
[[nodiscard]] nlohmann::json json_of(const result_table& table);
/// One line per cell that has a value: table, row, column, value. So tables of any shape share one file. Numbers are
/// not rounded.
[[nodiscard]] std::string csv_of(const result_table& table);
inline constexpr const char* csv_columns_of_tables = "table,row,column,value\n";

}  // namespace nearfork::tools
