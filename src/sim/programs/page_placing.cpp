#include "sim/programs/page_placing.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork::sim {
namespace {

/// What stands after the colon.
enum class operand : std::uint8_t { none, may_name_nodes, names_node, names_nodes, weighs_nodes };

struct rule_form {
  placing_rule rule;
  std::string_view name;
  operand takes;
};

constexpr rule_form forms[] = {
    {placing_rule::first_write, "first-write", operand::none},
    {placing_rule::follow_plan, "follow-plan", operand::none},
    {placing_rule::interleaved, "interleaved", operand::may_name_nodes},
    {placing_rule::interleaved_by_bandwidth, "interleaved-by-bandwidth", operand::may_name_nodes},
    {placing_rule::interleaved_by_weights, "interleaved-by-weights", operand::weighs_nodes},
    {placing_rule::by_bandwidth, "by-bandwidth", operand::may_name_nodes},
    {placing_rule::by_capacity, "by-capacity", operand::may_name_nodes},
    {placing_rule::by_weights, "by-weights", operand::weighs_nodes},
    {placing_rule::bound, "bound", operand::names_nodes},
    {placing_rule::hbm_only, "hbm-only", operand::none},
    {placing_rule::preferred, "preferred", operand::names_node},
};

std::string form_text(const rule_form& one) {
  std::string text(one.name);
  switch (one.takes) {
    case operand::none: return text;
    case operand::may_name_nodes: return text + "[:NODE,...]";
    case operand::names_node: return text + ":NODE";
    case operand::names_nodes: return text + ":NODE,...";
    case operand::weighs_nodes: return text + ":NODE=WEIGHT,...";
  }
  return text;
}

const rule_form& form_of(placing_rule rule) {
  return *std::ranges::find(forms, rule, &rule_form::rule);
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw error("nearfork: --pages " + quoted(text) + ": " + why + "; rules are " + placing_forms());
}

placing_node node_in(std::string_view whole, std::string_view part, bool weighs) {
  const std::size_t equals = part.find('=');
  if (weighs != (equals != part.npos))
    refuse(whole, quoted(part) + (weighs ? " has no weight" : " has a weight, and this rule takes none"));
  const auto number = parse_number(part.substr(0, equals), {0, std::numeric_limits<std::uint32_t>::max()});
  if (!number) refuse(whole, quoted(part.substr(0, equals)) + " is no number of a memory node");
  const auto node = static_cast<std::uint32_t>(*number);
  if (!weighs) return {node, 1};
  const auto weight = parse_decimal(part.substr(equals + 1));
  constexpr double most_weight = 1e9;
  if (!weight || !(*weight >= 0) || *weight > most_weight)
    refuse(whole, quoted(part.substr(equals + 1)) + " is no weight; weights are numbers from 0 to 1e9");
  return {node, *weight};
}

std::vector<placing_node> nodes_in(std::string_view whole, std::string_view list, bool weighs) {
  std::vector<placing_node> made;
  for (;;) {
    const std::size_t comma = list.find(',');
    made.push_back(node_in(whole, list.substr(0, comma), weighs));
    const std::uint32_t number = made.back().os_node;
    if (std::ranges::count(made, number, &placing_node::os_node) > 1)
      refuse(whole, "node " + std::to_string(number) + " is named twice");
    if (comma == list.npos) return made;
    list.remove_prefix(comma + 1);
  }
}

/// The shortest text that reads as the weight.
std::string weight_text(double weight) {
  char text[32];
  const auto [end, fault] = std::to_chars(std::begin(text), std::end(text), weight);
  return fault == std::errc{} ? std::string(std::begin(text), end) : std::to_string(weight);
}

}  // namespace

std::string placing_forms() {
  std::string text;
  for (const rule_form& one : forms) text += (text.empty() ? "" : ", ") + form_text(one);
  return text;
}

page_placing placing_called(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto form = std::ranges::find(forms, name, &rule_form::name);
  if (form == std::end(forms)) {
    std::vector<std::string> names;
    for (const rule_form& one : forms) names.emplace_back(one.name);
    throw error("nearfork: --pages " + quoted(text) + ": no rule is called " + quoted(name) + suggestion(name, names));
  }
  const bool has_list = colon != text.npos;
  if (has_list && form->takes == operand::none) refuse(text, "the rule takes no nodes");
  if (!has_list && form->takes != operand::none && form->takes != operand::may_name_nodes)
    refuse(text, "it does not say which nodes");
  page_placing made{.how = form->rule};
  if (has_list) made.nodes = nodes_in(text, text.substr(colon + 1), form->takes == operand::weighs_nodes);
  if (form->takes == operand::names_node && made.nodes.size() > 1) refuse(text, "the rule takes one node");
  if (form->takes == operand::weighs_nodes &&
      std::ranges::all_of(made.nodes, [](const placing_node& one) { return one.weight == 0; }))
    refuse(text, "at least one weight must be above 0");
  return made;
}

std::string text_of(const page_placing& how) {
  const rule_form& form = form_of(how.how);
  std::string text(form.name);
  for (std::size_t i = 0; i < how.nodes.size(); ++i) {
    text += (i == 0 ? ":" : ",") + std::to_string(how.nodes[i].os_node);
    if (form.takes != operand::weighs_nodes) continue;
    text += "=" + weight_text(how.nodes[i].weight);
  }
  return text;
}

}  // namespace nearfork::sim
