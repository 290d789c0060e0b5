// Options of commands, read strictly: whole numbers by the one reader (base/text/number_text.hpp), lists without empty
// parts, words out of a set, texts that are not empty. CLI11's own conversions would read 010 as 8, -1 as
// 18446744073709551615 and "1," as 1. A refused value ends the command with a status of CLI11's (100 and up) and a
// message with the option, the value and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text/number_text.hpp"

namespace nearfork::tools {

/// The name of numeric types in help and tests.
inline constexpr const char* number_type = "NUMBER";
inline constexpr const char* numbers_type = "NUMBER,...";

/// Throws: CLI::ValidationError, as all functions here.
[[nodiscard]] std::uint64_t number_of_option(std::string_view option, std::string_view value, number_range range);

/// The parts between commas. No part may be empty.
[[nodiscard]] std::vector<std::string> parts_of_option(std::string_view option, std::string_view value);

/// For CLI::Option::transform(): rewrites numbers so that CLI11's conversion reads them correctly.
[[nodiscard]] CLI::Validator whole_number(number_range range);

/// Adds an option with one number. `into` is an integer or an optional one, and holds the value without the option.
template <class Number>
CLI::Option* add_number(CLI::App& to, const std::string& name, Number& into, number_range range,
                        const std::string& meaning) {
  return to.add_option(name, into, meaning)->transform(whole_number(range))->type_name(number_type);
}

/// Adds an option whose value is parts between commas. It may be given several times: `take` gets all parts.
CLI::Option* add_parts(CLI::App& to, const std::string& name, const std::string& meaning,
                       std::function<void(const std::vector<std::string>&)> take);

/// Numbers between commas. `into` has integers, or text, which is then decimal.
template <class Number>
CLI::Option* add_numbers(CLI::App& to, const std::string& name, std::vector<Number>& into, number_range range,
                         const std::string& meaning) {
  const auto take = [&into, name, range](const std::vector<std::string>& parts) {
    into.clear();
    for (const std::string& part : parts) {
      const std::uint64_t number = number_of_option(name, part, range);
      if constexpr (std::is_integral_v<Number>) into.push_back(static_cast<Number>(number));
      else into.push_back(std::to_string(number));
    }
  };
  return add_parts(to, name, meaning, take)->type_name(numbers_type);
}

/// Words between commas.
template <class Word>
CLI::Option* add_words(CLI::App& to, const std::string& name, std::vector<Word>& into, const std::string& meaning) {
  return add_parts(to, name, meaning,
                   [&into](const std::vector<std::string>& parts) { into.assign(parts.begin(), parts.end()); });
}

/// The word "all" stands for all that are known. Unknown words stay in the list, so that its reader refuses them.
[[nodiscard]] std::vector<std::string> with_all(std::vector<std::string> words, const std::vector<std::string>& known);

/// For CLI::Option::check(): one of these words.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);
/// The name of that validator, and the words that it allows, from its description "{one,two}".
inline constexpr const char* allowed_words_name = "words";
[[nodiscard]] std::vector<std::string> words_in(const std::string& description);

/// Makes all options and positional arguments of `app` and its subcommands refuse an empty value, except those of type
/// `may_be_empty`.
void refuse_empty_values(CLI::App& app);
inline constexpr const char* may_be_empty = "WORD";

}  // namespace nearfork::tools
