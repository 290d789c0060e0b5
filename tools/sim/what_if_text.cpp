#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/message_text.hpp"
#include "tools/output/result_table.hpp"
#include "tools/sim/formats.hpp"
#include "tools/sim/what_if.hpp"

namespace nearfork::tools {
namespace {

/// A gain below this is none that anybody would notice.
constexpr double noticeable_gain = 0.01;
/// Fewer workers that take so little longer do as well.
constexpr double as_good = 1.05;

std::string percent(double fraction) {
  return fmt::format("{:+.1f}%", 100 * fraction);
}

/// "54.3 us to 56.8 us"; one number if both look the same.
std::string range_text(const std::optional<spread>& of, std::string (*text)(double)) {
  if (!of) return "-";
  const std::string least = text(of->least);
  const std::string most = text(of->most);
  return least == most ? least : fmt::format("{} to {}", least, most);
}

std::string factor(double value) {
  return fmt::format("{:.{}f}x", value, value < 10 ? 2 : 1);
}

result_table spread_table(const sim_study& study, const machine_answer& answer) {
  result_table made{
      .id = "spread",
      .title = fmt::format("  simulated, {}: an iteration under each policy", counted(study.seeds, "seed")),
      .columns = {{"  policy"}, {"middle"}, {"least to most"}, {"gain over random"}}};
  if (study.recorded) made.columns.push_back({"speed-up over the recorded time"});
  const std::string recordings = counted(study.further.size() + 1, "recording");
  if (!study.further.empty()) made.columns.push_back({fmt::format("speed-up, {}", recordings)});
  if (!study.further.empty()) made.columns.push_back({fmt::format("gain, {}", recordings)});
  for (const policy_answer& one : answer.policies) {
    auto& row = made.rows.emplace_back();
    row = {"  " + one.policy, time_text(one.time_ns.middle), range_text(one.time_ns, time_text),
           range_text(one.gain, percent)};
    if (study.recorded) row.emplace_back(range_text(one.speed_up, factor));
    if (!study.further.empty()) row.emplace_back(range_text(one.of_runs, factor));
    if (!study.further.empty()) row.emplace_back(range_text(one.gain_of_runs, percent));
  }
  return made;
}

result_table sweep_table(const sim_study& study, const machine_answer& answer) {
  result_table made{.id = "sweep",
                    .title = fmt::format("  simulated, seed {}: an iteration with so many workers", study.seed),
                    .columns = {{"  workers"}}};
  for (const policy_answer& one : answer.policies) made.columns.push_back({one.policy});
  made.columns.push_back({study.recorded ? "best, over the recorded time" : "best, over the first line"});
  const double base =
      study.recorded ? study.recorded->time_ns : *std::ranges::min_element(answer.sweep.front().time_ns);
  for (const sweep_point& point : answer.sweep) {
    auto& row = made.rows.emplace_back();
    row.emplace_back(fmt::format("  {}", point.workers));
    for (const double time : point.time_ns) row.emplace_back(time_text(time));
    row.emplace_back(factor(base / std::max(*std::ranges::min_element(point.time_ns), 1.0)));
  }
  return made;
}

const policy_answer& best_of(const machine_answer& answer) {
  return *std::ranges::min_element(answer.policies, {}, [](const policy_answer& one) { return one.time_ns.middle; });
}

/// The gain over random for all seeds and all recordings.
std::optional<spread> whole_gain(const policy_answer& of) {
  if (!of.gain || !of.gain_of_runs) return of.gain;
  spread made = *of.gain;
  made.least = std::min(made.least, of.gain_of_runs->least);
  made.most = std::max(made.most, of.gain_of_runs->most);
  return made;
}

/// The best policy if it is surely better than random, else random. The best if random was not simulated.
const policy_answer& advised(const machine_answer& answer) {
  const policy_answer& best = best_of(answer);
  const auto gain = whole_gain(best);
  if (!gain || gain->least > noticeable_gain) return best;
  const auto random = std::ranges::find(answer.policies, "random", &policy_answer::policy);
  return random == answer.policies.end() ? best : *random;
}

std::string gain_clause(const machine_answer& answer, const policy_answer& of) {
  const auto gain = whole_gain(of);
  if (answer.policies.size() == 1 || !gain) return "";
  if (of.policy == "random") return ", and no other policy is surely faster";
  const auto whole_percent = [](double fraction) { return fmt::format("{:.0f}", 100 * fraction); };
  return fmt::format(", {}% less than under random", range_text(gain, whole_percent));
}

double least_ns(const sweep_point& of) {
  return *std::ranges::min_element(of.time_ns);
}

/// The fewest workers that take hardly longer than the best number of them, which may be all. nullptr: none of the
/// sweep.
const sweep_point* enough_workers(const machine_answer& answer, double all_ns) {
  const double best = std::min(all_ns, least_ns(*std::ranges::min_element(answer.sweep, {}, least_ns)));
  const auto found =
      std::ranges::find_if(answer.sweep, [&](const sweep_point& one) { return least_ns(one) <= as_good * best; });
  return found == answer.sweep.end() ? nullptr : &*found;
}

/// `of`: the policy that the sentence names, with all workers.
std::string workers_clause(const machine_answer& answer, const policy_answer& of) {
  if (answer.sweep.size() < 2) return "";
  const sweep_point* const enough = enough_workers(answer, of.time_ns.middle);
  if (enough == nullptr || enough->workers >= answer.workers) return "; fewer workers would take longer";
  const double gain = of.time_ns.middle / std::max(least_ns(*enough), 1.0);
  if (gain <= as_good) return fmt::format("; more than {} would gain little", counted(enough->workers, "worker"));
  const auto policy = static_cast<std::size_t>(std::ranges::min_element(enough->time_ns) - enough->time_ns.begin());
  const std::string& best = answer.policies[policy].policy;
  return fmt::format("; {}{} would be {} as fast as that", counted(enough->workers, "worker"),
                     best == of.policy ? "" : " under " + best, factor(gain));
}

std::string waits_text(const memory_waits& of) {
  if (of.why_not.empty())
    return fmt::format(
        "waits:     {:.0f}% of the recorded work is waits for memory, as simulated on {};\n"
        "           simulations have those of their own machine instead\n",
        100 * of.part_of_work, of.machine);
  return fmt::format(
      "waits:     how much of the recorded work is waits for memory is not known: {}.\n"
      "           Simulations add those of their own machine: a program that waits much looks slower.\n",
      of.why_not);
}

nlohmann::json json_of(const memory_waits& of) {
  if (!of.why_not.empty()) return {{"why_not", of.why_not}};
  return {{"machine", of.machine}, {"part_of_work", of.part_of_work}};
}

nlohmann::json json_of(const spread& of) {
  return {{"least", of.least}, {"middle", of.middle}, {"most", of.most}, {"count", of.count}};
}

}  // namespace

std::string recorded_text(const sim_study& study, const what_if& answer) {
  if (!study.recorded) return {};
  const recorded_facts& recorded = *study.recorded;
  std::string text =
      fmt::format("\nrecorded:  {} an iteration, with {} under {} (work {}, span {})\n           on {}\n",
                  time_text(recorded.time_ns), counted(recorded.workers, "worker"), recorded.policy,
                  time_text(recorded.work_ns), time_text(recorded.span_ns), recorded.machine);
  for (const recorded_subject& one : study.further)
    text += fmt::format("           {} in {}\n", time_text(one.facts.time_ns), one.file);
  if (study.waits) text += waits_text(*study.waits);
  const calibration& here = *answer.here;
  const std::string_view where = here.same_machine ? "this machine, as recorded" : "this machine, which is another one";
  if (!here.time_ns) return text + fmt::format("simulated: not on {}: {}\n", where, here.why_not);
  if (recorded.time_ns <= 0)
    return text + fmt::format("simulated: {} on {}; with a recorded time of 0 no speed-up means anything\n",
                              time_text(*here.time_ns), where);
  const double part = *here.time_ns / recorded.time_ns;
  text += fmt::format("simulated: {} on {}: {} of the recorded time\n", time_text(*here.time_ns), where, factor(part));
  const auto doubt = doubt_of(study, here);
  if (doubt)
    text +=
        "           That is far off: the recording was disturbed, its tasks are very short, the program creates tasks "
        "for\n"
        "           long (which no recording has), or the model of this machine is wrong. Take speed-ups over the\n"
        "           recorded time with as much doubt.\n";
  return text;
}

std::string no_data_text(const std::string& region) {
  return fmt::format(
      "Region {} names no data, so memory and its bandwidth are not simulated: if it uses much memory, it gains less. "
      "Hints name data: nearfork::reads(), nearfork::writes() (docs/RECORDING.md).",
      nearfork::quoted(region));
}

std::string text_of(const sim_study& study, const machine_answer& answer) {
  std::string text;
  if (says_more(study)) text += "\n" + text_of(spread_table(study, answer));
  if (!answer.sweep.empty()) text += "\n" + text_of(sweep_table(study, answer));
  if (!answer.beyond_cores.empty())
    text += fmt::format("  Not with {} workers: a sweep has at most one worker on each core of {}.\n",
                        fmt::join(answer.beyond_cores, ", "), answer.machine);
  if (study.is_large && study.seeds == 1 && answer.sweep.empty())
    text += "  The recording is large: one seed and no sweep, unless --seeds and --sweep ask for them.\n";
  return text;
}

std::string expectation_of(const machine_answer& answer) {
  const policy_answer& best = advised(answer);
  std::string text =
      fmt::format("Expect {} an iteration on {} with {} under {} (simulated)", time_text(best.time_ns.middle),
                  answer.machine, counted(answer.workers, "worker"), best.policy);
  if (best.speed_up) {
    const spread& shown = best.of_runs ? *best.of_runs : *best.speed_up;
    const std::string_view over = best.of_runs ? "recordings" : "seeds";
    text += fmt::format(": {} as fast as recorded", factor(best.speed_up->middle));
    // Whoever gives several recordings asks how far they lie apart, so that is said even if they round to one number.
    if (best.of_runs || range_text(shown, factor) != factor(best.speed_up->middle))
      text += fmt::format(" ({} over {} {})", range_text(shown, factor), shown.count, over);
    if (answer.doubt)
      text += fmt::format(", which is doubtful: simulated as it was recorded, it takes {} of the recorded time",
                          factor(*answer.doubt));
    if (!answer.unchecked.empty())
      text += fmt::format(", which is not checked against the recorded run: {}", answer.unchecked);
  }
  return text + gain_clause(answer, best) + workers_clause(answer, best) + ".";
}

nlohmann::json json_of(const sim_study& study, const machine_answer& answer) {
  auto policies = nlohmann::json::array();
  for (const policy_answer& one : answer.policies) {
    nlohmann::json made = {{"policy", one.policy}, {"time_ns", json_of(one.time_ns)}};
    if (one.gain) made["gain_over_random"] = json_of(*one.gain);
    if (one.speed_up) made["speed_up_over_recorded"] = json_of(*one.speed_up);
    if (one.of_runs) made["speed_up_of_recordings"] = json_of(*one.of_runs);
    if (one.gain_of_runs) made["gain_of_recordings"] = json_of(*one.gain_of_runs);
    policies.push_back(made);
  }
  auto sweep = nlohmann::json::array();
  for (const sweep_point& point : answer.sweep) {
    auto times = nlohmann::json::object();
    for (std::size_t i = 0; i < point.time_ns.size(); ++i) times[answer.policies[i].policy] = point.time_ns[i];
    sweep.push_back({{"workers", point.workers}, {"time_ns", times}});
  }
  return {{"seeds", study.seeds},
          {"spread", policies},
          {"sweep", sweep},
          {"sweep_beyond_cores", answer.beyond_cores},
          {"expectation", expectation_of(answer)}};
}

nlohmann::json recorded_json(const sim_study& study, const what_if& answer) {
  const recorded_facts& recorded = *study.recorded;
  nlohmann::json made = {
      {"time_ns", recorded.time_ns},       {"work_ns", recorded.work_ns},       {"span_ns", recorded.span_ns},
      {"iterations", recorded.iterations}, {"workers", recorded.workers},       {"policy", recorded.policy},
      {"machine", recorded.machine},       {"names_data", recorded.names_data}, {"further", nlohmann::json::array()}};
  for (const recorded_subject& one : study.further)
    made["further"].push_back({{"file", one.file}, {"time_ns", one.facts.time_ns}});
  if (study.waits) made["memory_waits"] = json_of(*study.waits);
  nlohmann::json here = {{"same_machine", answer.here->same_machine}};
  if (answer.here->time_ns) here["simulated_time_ns"] = *answer.here->time_ns;
  else here["why_not"] = answer.here->why_not;
  made["this_machine"] = here;
  return made;
}

}  // namespace nearfork::tools
