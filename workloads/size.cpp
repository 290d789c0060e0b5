#include "workloads/size.hpp"

#include <algorithm>

#include <nearfork/error.hpp>

namespace nearfork::workloads {
bool size_rules::has_field(std::string_view name) const {
  return std::ranges::find(fields, name, &size_field::name) != fields.end();
}

const size_values& size_rules::named_values(std::string_view name) const {
  const auto found = std::ranges::find(named, name, &named_size::name);
  if (found == named.end()) throw error("a workload has no size called \"" + std::string(name) + "\"");
  return found->values;
}

std::string size_text(const size_rules& rules, const size_values& values) {
  std::string text;
  for (std::size_t i = 0; i < rules.fields.size(); ++i)
    text.append(i == 0 ? "" : " ").append(rules.fields[i].name).append("=").append(std::to_string(values.at(i)));
  return text;
}

}  // namespace nearfork::workloads
