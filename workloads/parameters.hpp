// Parameters of a workload: fields of a small struct, each with a name, a range and a meaning, read from text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/workload.hpp"

namespace nearfork::workloads {

/// One field of a struct that outlives this.
struct parameter {
  std::string name;
  std::string allowed;
  std::string meaning;
  std::function<bool(std::string_view)> try_set;  // false, and nothing changed: the text is not allowed
  std::function<std::string()> text;
};

struct number_range {
  std::uint64_t lowest;
  std::uint64_t highest;
};

/// Digits, and k, M or G behind them for 2^10, 2^20 and 2^30.
[[nodiscard]] parameter number(std::string name, std::uint64_t& field, number_range range, std::string meaning);

/// A number of which only powers of two are allowed.
[[nodiscard]] parameter power_of_two(std::string name, std::uint64_t& field, number_range range, std::string meaning);

/// One of a few words.
template <class Enum>
[[nodiscard]] parameter choice(std::string name, Enum& field, std::vector<std::pair<std::string, Enum>> words,
                               std::string meaning) {
  std::string allowed;
  for (const auto& [word, value] : words) allowed += (allowed.empty() ? "" : " or ") + word;
  auto try_set = [&field, words](std::string_view text) {
    for (const auto& [word, value] : words)
      if (word == text) return field = value, true;
    return false;
  };
  auto text = [&field, words]() -> std::string {
    for (const auto& [word, value] : words)
      if (value == field) return word;
    return "?";
  };
  return {std::move(name), std::move(allowed), std::move(meaning), std::move(try_set), std::move(text)};
}

/// Sets what `size` says ("small,rows=64"); `workload` and its sizes are for names and messages.
/// Throws: nearfork::error on unknown names, bad values and parameters said twice.
void set_size(std::string_view workload, std::span<const named_size> sizes, std::string_view size,
              std::span<const parameter> fields);

/// "rows=4096,columns=1024"
[[nodiscard]] std::string text_of(std::span<const parameter> fields);

[[nodiscard]] std::vector<parameter_row> rows_of(std::span<const parameter> fields);

}  // namespace nearfork::workloads
