#include "workloads/size.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <nearfork/error.hpp>

namespace nearfork::workloads {
namespace {

/// Digits, then nothing, K or M. Nothing if it is no such number or does not fit.
std::optional<std::uint64_t> number_from(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{}) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return number;
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : 0;
  if (shift == 0 || (number << shift) >> shift != number) return std::nullopt;
  return number << shift;
}

std::string quoted(std::string_view text) {
  return std::string(1, '"').append(text).append(1, '"');
}

std::string what_is_allowed(const size_rules& rules) {
  std::string text = "allowed:";
  for (const named_size& one : rules.named) text.append(" ").append(one.name);
  text += "; or FIELD=NUMBER,... with";
  for (const size_field& field : rules.fields)
    text +=
        " " + std::string(field.name) + " (" + std::to_string(field.least) + " to " + std::to_string(field.most) + ")";
  return text;
}

class reader {
 public:
  reader(std::string_view workload, const size_rules& rules, std::string_view text)
      : workload_(workload), rules_(rules), text_(text), values_(rules.named_values("default")) {}

  size_values read() {
    std::string_view rest = text_;
    for (bool first = true; first || !rest.empty(); first = false) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      read_part(rest.substr(0, comma), first);
      if (comma + 1 == rest.size()) refuse("it ends in a comma");
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return values_;
  }

 private:
  void read_part(std::string_view part, bool first) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos && first) take_named(part);
    else if (equals == part.npos) refuse(quoted(part) + " is not FIELD=NUMBER");
    else take_field(part.substr(0, equals), part.substr(equals + 1));
  }

  void take_named(std::string_view name) {
    const auto found = std::ranges::find(rules_.named, name, &named_size::name);
    if (found == rules_.named.end()) refuse(quoted(name) + " is not the name of a size");
    values_ = found->values;
  }

  void take_field(std::string_view name, std::string_view number) {
    const auto found = std::ranges::find(rules_.fields, name, &size_field::name);
    if (found == rules_.fields.end()) refuse("it has no field " + quoted(name));
    const auto value = number_from(number);
    if (!value || *value < found->least || *value > found->most)
      refuse(std::string(name) + " cannot be " + quoted(number));
    values_[static_cast<std::size_t>(found - rules_.fields.begin())] = *value;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw error("size " + quoted(text_) + " of " + std::string(workload_) + ": " + why + "; " +
                what_is_allowed(rules_));
  }

  std::string_view workload_;
  const size_rules& rules_;
  std::string_view text_;
  size_values values_;
};

}  // namespace

bool size_rules::has_field(std::string_view name) const {
  return std::ranges::find(fields, name, &size_field::name) != fields.end();
}

const size_values& size_rules::named_values(std::string_view name) const {
  const auto found = std::ranges::find(named, name, &named_size::name);
  if (found == named.end()) throw error("a workload has no size called \"" + std::string(name) + "\"");
  return found->values;
}

size_values parse_size(std::string_view workload, const size_rules& rules, std::string_view text) {
  return reader(workload, rules, text).read();
}

std::string size_text(const size_rules& rules, const size_values& values) {
  std::string text;
  for (std::size_t i = 0; i < rules.fields.size(); ++i)
    text.append(i == 0 ? "" : " ").append(rules.fields[i].name).append("=").append(std::to_string(values.at(i)));
  return text;
}

}  // namespace nearfork::workloads
