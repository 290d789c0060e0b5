#include "tools/workload_words.hpp"

#include <algorithm>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork::tools {
namespace {

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.emplace_back(one.name);
  return names;
}

std::string what_is_allowed(const workloads::size_rules& rules) {
  std::string text = "allowed:";
  for (const workloads::named_size& one : rules.named) text.append(" ").append(one.name);
  text += "; or FIELD=NUMBER,... with";
  for (const workloads::size_field& field : rules.fields)
    text +=
        " " + std::string(field.name) + " (" + std::to_string(field.least) + " to " + std::to_string(field.most) + ")";
  return text;
}

class reader {
 public:
  reader(std::string_view workload, const workloads::size_rules& rules, std::string_view text, bool graph_is_given)
      : workload_(workload),
        rules_(rules),
        text_(text),
        graph_is_given_(graph_is_given),
        values_(rules.named_values("default")),
        given_(rules.fields.size()) {}

  workloads::size_values read() {
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
    const auto found = std::ranges::find(rules_.named, name, &workloads::named_size::name);
    if (found == rules_.named.end())
      refuse(quoted(name) + " is not the name of a size" + did_you_mean(name, names_of(rules_.named)));
    values_ = found->values;
  }

  void take_field(std::string_view name, std::string_view number) {
    const auto found = std::ranges::find(rules_.fields, name, &workloads::size_field::name);
    if (found == rules_.fields.end())
      refuse("it has no field " + quoted(name) + did_you_mean(name, names_of(rules_.fields)));
    if (found->of_made_graph && graph_is_given_)
      refuse(std::string(name) + " is of a graph that is generated, and --graph gives one: leave it out");
    const auto value = nearfork::parse_size(number, {found->least, found->most});
    if (!value) refuse(std::string(name) + " cannot be " + quoted(number) + std::string(remark_on_number(number)));
    const auto place = static_cast<std::size_t>(found - rules_.fields.begin());
    if (given_[place]) refuse(std::string(name) + " is given twice");
    given_[place] = true;
    values_[place] = *value;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw error("size " + quoted(text_) + " of " + std::string(workload_) + ": " + why + "; " +
                what_is_allowed(rules_));
  }

  std::string_view workload_;
  const workloads::size_rules& rules_;
  std::string_view text_;
  bool graph_is_given_;
  workloads::size_values values_;
  std::vector<bool> given_;  // by field: not by the name of a size
};

}  // namespace

workloads::size_values size_of_workload(std::string_view workload, const workloads::size_rules& rules,
                                        std::string_view text, bool graph_is_given) {
  return reader(workload, rules, text, graph_is_given).read();
}

const workloads::workload& workload_called(std::string_view name) {
  const auto& all = workloads::all_workloads();
  const auto found = std::ranges::find(all, name, &workloads::workload::name);
  if (found != all.end()) return *found;
  throw error("nearfork: no workload is called " + quoted(name) + suggestion(name, names_of(all)));
}

}  // namespace nearfork::tools
