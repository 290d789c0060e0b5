// The rows of the table of options: name, allowed values, and how a value is read and shown.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/config.hpp>

namespace nearfork {

struct option_row {
  std::string_view name;
  std::string_view type;
  std::string_view unit;
  std::string_view meaning;
  std::function<std::string()> allowed;
  std::function<bool(config&, std::string_view)> try_set;  // false: not allowed, config unchanged
  std::function<std::string(const config&)> show;
  std::function<std::vector<std::string>()> words{};  // the values of an option whose values are words
};

/// All options, in the order in which they are shown.
[[nodiscard]] std::vector<option_row> make_option_rows();

}  // namespace nearfork
