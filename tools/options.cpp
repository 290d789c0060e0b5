#include "tools/options.hpp"

#include <algorithm>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork::tools {
namespace {

/// Empty if the value is allowed.
std::string fault_of_number(std::string_view value, number_range range) {
  if (parse_number(value, range)) return {};
  return "bad value " + nearfork::quoted(value) + std::string(remark_on_number(value)) +
         "; allowed: whole numbers from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

}  // namespace

std::uint64_t number_of_option(std::string_view option, std::string_view value, number_range range) {
  if (const std::string fault = fault_of_number(value, range); !fault.empty())
    throw CLI::ValidationError(std::string(option), fault);
  return *parse_number(value, range);
}

std::vector<std::string> parts_of_option(std::string_view option, std::string_view value) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    if (end == begin)
      throw CLI::ValidationError(std::string(option),
                                 "bad value " + nearfork::quoted(value) +
                                     ": a part of it is empty; allowed: parts with one comma between them");
    parts.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

CLI::Validator whole_number(number_range range) {
  return CLI::Validator(
      [range](std::string& value) {
        std::string fault = fault_of_number(value, range);
        if (fault.empty()) value = std::to_string(*parse_number(value, range));
        return fault;
      },
      "");
}

CLI::Option* add_parts(CLI::App& to, const std::string& name, const std::string& meaning,
                       std::function<void(const std::vector<std::string>&)> take) {
  return to
      .add_option_function<std::vector<std::string>>(
          name,
          [name, take = std::move(take)](const std::vector<std::string>& values) {
            std::vector<std::string> all;
            for (const std::string& value : values)
              for (std::string& part : parts_of_option(name, value)) all.push_back(std::move(part));
            take(all);
          },
          meaning)
      ->allow_extra_args(false);
}

std::vector<std::string> with_all(std::vector<std::string> words, const std::vector<std::string>& known) {
  if (std::erase(words, "all") == 0) return words;
  std::erase_if(words, [&](const std::string& one) { return std::ranges::find(known, one) != known.end(); });
  words.insert(words.end(), known.begin(), known.end());
  return words;
}

CLI::Validator one_of(std::vector<std::string> words) {
  std::string listed_words = "{";
  for (const std::string& one : words) listed_words += (listed_words.size() == 1 ? "" : ",") + one;
  return CLI::Validator(
      [words = std::move(words)](std::string& value) {
        if (std::ranges::find(words, value) != words.end()) return std::string();
        return "bad value " + nearfork::quoted(value) + suggestion(value, words);
      },
      listed_words + "}", allowed_words_name);
}

std::vector<std::string> words_in(const std::string& description) {
  std::vector<std::string> words;
  for (std::size_t begin = 1; begin < description.size();) {
    const std::size_t end = description.find_first_of(",}", begin);
    words.push_back(description.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](std::string& value) {
        return value.empty() ? "an empty value is not allowed; leave it out, or name something" : "";
      },
      "");
  for (CLI::Option* const option : app.get_options())
    if (option->get_items_expected_max() > 0 && option->get_type_name() != may_be_empty) option->check(not_empty);
  for (CLI::App* const command : app.get_subcommands({})) refuse_empty_values(*command);
}

}  // namespace nearfork::tools
