#include "plan/plans/plan_explanation.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace nearfork {
namespace {

/// With at most one decimal: "12", "3.5".
std::string short_number(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1).ptr;
  std::string made(text.data(), end);
  if (made.ends_with(".0")) made.resize(made.size() - 2);
  return made;
}

std::string with_unit(double value, std::string_view small, double step,
                      const std::array<std::string_view, 3>& larger) {
  std::string_view unit = small;
  for (const std::string_view next : larger) {
    if (value < step) break;
    value /= step;
    unit = next;
  }
  return short_number(value) + " " + std::string(unit);
}

std::string bytes_text(double bytes) {
  return with_unit(bytes, "B", 1024, {"KiB", "MiB", "GiB"});
}
std::string time_text(std::uint64_t ns) {
  return with_unit(static_cast<double>(ns), "ns", 1000, {"us", "ms", "s"});
}

std::string subtrees_line(const plan_explanation& why) {
  std::string line = "subtrees: " + std::to_string(why.subtrees);
  if (!why.trials.empty()) line += " (" + packing_text(why.packing_level) + ")";
  if (why.most_bytes > 0) line += ", " + bytes_text(why.least_bytes) + " to " + bytes_text(why.most_bytes) + " each";
  return line;
}

std::string shares_line(std::string line, const std::vector<double>& shares) {
  for (const double share : shares) line += " " + short_number(100 * share) + "%";
  return line;
}

/// With two decimals: "1.06".
std::string factor_text(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 2).ptr;
  return {text.data(), end};
}

std::string balance_line(const balance_summary& balance) {
  std::string line = "big domains hold " + factor_text(balance.big_share) + " of the data; alpha:";
  for (std::size_t k = 0; k < balance.factors.size(); ++k) {
    line += (k == 0 ? " " : " -> ") + factor_text(balance.factors[k]);
    if (k < balance.crossings.size())
      line += " (" + short_number(balance.crossings[k]) + (k == 0 ? " wanted crossings)" : ")");
  }
  return line;
}

std::string slack_line(const balance_summary& balance) {
  const auto domains = [](std::uint32_t count) {
    return std::to_string(count) + (count == 1 ? " domain" : " domains");
  };
  std::string line = "without work:";
  if (balance.monopolies > 0) line += " " + domains(balance.monopolies) + " may take from others (monopoly)";
  if (balance.distributions > 0)
    line += (balance.monopolies > 0 ? ", " : " ") + domains(balance.distributions) +
            (balance.distributions == 1 ? " waits" : " wait") + " (distribution)";
  return line;
}

std::string nodes_line(std::string line, const std::vector<std::uint32_t>& os_nodes, const std::vector<double>& parts) {
  for (std::size_t i = 0; i < parts.size() && i < os_nodes.size(); ++i)
    line += (i == 0 ? " node " : ", ") + std::to_string(os_nodes[i]) + " " + short_number(100 * parts[i]) + "%";
  return line;
}

void tell_traffic(std::vector<std::string>& lines, const traffic_summary& traffic) {
  if (traffic.os_nodes.empty()) return;
  lines.push_back(nodes_line("data:", traffic.os_nodes, traffic.data_shares) +
                  (traffic.bandwidths_known ? "" : "; the nodes' bandwidths are not known, so they count as equal"));
  if (traffic.looks_for_heat && traffic.chunks == 0) lines.emplace_back("hot data are not known, so none move");
  if (traffic.chunks > 0) {
    lines.push_back(nodes_line("accesses gauged:", traffic.os_nodes, traffic.heat_before));
    lines.push_back(std::to_string(traffic.moves) + " of " + std::to_string(traffic.chunks) + " chunks move" +
                    (traffic.without_room > 0 ? ", " + std::to_string(traffic.without_room) + " found no room" : ""));
    if (traffic.moves > 0) lines.push_back(nodes_line("accesses expected then:", traffic.os_nodes, traffic.heat_after));
  }
  if (traffic.high + traffic.weak > 0)
    lines.push_back("subgraphs: " + std::to_string(traffic.high) + " high-localized, " + std::to_string(traffic.weak) +
                    " low-localized");
}

std::string trial_line(const trial_summary& trial) {
  return "tried " + trial.what + ": median " + time_text(trial.median_ns) + ", shortest " +
         time_text(trial.shortest_ns) + ", " + std::to_string(trial.iterations) +
         (trial.iterations == 1 ? " iteration" : " iterations") + (trial.given_up ? "; given up as slower" : "");
}

}  // namespace

std::string_view name_of(plan_decision decision) noexcept {
  switch (decision) {
    case plan_decision::none: return "no plan";
    case plan_decision::one_domain: return "plain stealing: one domain";
    case plan_decision::no_forks: return "plain stealing: no forks";
    case plan_decision::tree_too_large: return "plain stealing: more tasks than are profiled (profile_tasks)";
    case plan_decision::sizes_unknown: return "plain stealing: sizes not known";
    case plan_decision::fits_one_cache: return "plain stealing: one cache holds all";
    case plan_decision::cpu_bound: return "plain stealing: bound by the cores, not by memory";
    case plan_decision::trying_plain: return "plain stealing, to compare it with a plan";
    case plan_decision::no_plan_is_faster: return "plain stealing: the best packing tried was not faster";
    case plan_decision::by_rule: return "planned by rule";
    case plan_decision::packed: return "planned";
    case plan_decision::trying: return "planned, trying a packing";
    case plan_decision::settled: return "planned, with the best packing tried";
    case plan_decision::balancing: return "planned, trying a share for the big cores";
    case plan_decision::moving_data: return "plain stealing, while it is seen whether moved data pay";
    case plan_decision::locating: return "planned, looking for the homes of subgraphs";
    case plan_decision::located: return "planned, with subgraphs at home";
    case plan_decision::only_data: return "plain stealing: only the data are placed";
    case plan_decision::too_few_tasks: return "plain stealing: too few tasks for subgraphs";
    case plan_decision::nothing_placed: return "plain stealing: the region has no placed data";
    case plan_decision::balanced: return "planned, with the best share found for the big cores";
  }
  return "?";
}

std::string packing_text(std::int32_t level) {
  if (level == 0) return "first packing";
  const std::int64_t steps = level;
  return level > 0 ? std::to_string(steps) + " down" : std::to_string(-steps) + " up";
}

std::vector<std::string> lines_of(const plan_explanation& why) {
  std::vector<std::string> lines;
  lines.push_back((why.policy.empty() ? "" : std::string(why.policy) + ": ") + std::string(name_of(why.decision)));
  if (why.subtrees > 0) lines.push_back(subtrees_line(why));
  if (why.turns_back) lines.emplace_back("sweeps: forward and backward in turn");
  if (why.crosses) lines.emplace_back("domains without work take other domains' tasks");
  if (!why.domain_shares.empty()) lines.push_back(shares_line("share of each domain:", why.domain_shares));
  if (!why.measured_shares.empty())
    lines.push_back(shares_line("domains are not equally fast; shares by their measured speed:", why.measured_shares));
  if (!why.balance.factors.empty()) {
    lines.push_back(balance_line(why.balance));
    lines.push_back(slack_line(why.balance));
  }
  tell_traffic(lines, why.traffic);
  if (why.plain_trial.iterations > 0) lines.push_back(trial_line(why.plain_trial));
  for (const trial_summary& trial : why.trials) lines.push_back(trial_line(trial));
  for (const trial_summary& trial : why.later_trials) lines.push_back(trial_line(trial));
  return lines;
}

std::string one_line(const plan_explanation& why) {
  std::string text;
  for (const std::string& line : lines_of(why)) text += (text.empty() ? "" : "; ") + line;
  return text.empty() ? "no plan" : text;
}

}  // namespace nearfork
