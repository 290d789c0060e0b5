#include "tools/advice/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "tools/advice/worker_limits.hpp"
#include "tools/report/findings.hpp"
#include "tools/report/number_words.hpp"

namespace nearfork::tools {
namespace {

using change = simulated_variant::change;
using items = std::vector<advice_item>;

/// A gain below this is not worth a change.
constexpr double worth_having = 0.03;
/// The same for a gain that is a lower bound.
constexpr double worth_telling = 0.01;
/// A fork costs 3 ns a leaf (gcc 12, release build, one and two workers of an AMD EPYC virtual machine, least of 60
/// runs: leaves of 6 ns take 48% longer than by calls, of 36 ns 7%, of 220 ns nothing that can be seen). So leaves of
/// 100 ns lose 3%, and leaves of 300 ns 1%.
constexpr double fine_leaf_ns = 100;
constexpr double good_leaf_ns = 300;
/// To split a leaf that works for less would cost more than it brings: a thief needs some microseconds for a task.
constexpr double least_split_ns = 2000;
constexpr double leaves_for_each_worker = 8;
constexpr double uneven = 1.15;
constexpr double short_iteration_ns = 500'000;
constexpr std::uint64_t bytes_for_huge_pages = std::uint64_t{64} << 20;
constexpr double most_of_pages = 0.8;

const simulated_variant* best_of(const advice_evidence& evidence, change what) {
  const simulated_variant* best = nullptr;
  for (const simulated_variant& one : evidence.variants)
    if (one.what == what && one.gain() >= worth_having && (best == nullptr || one.gain() > best->gain())) best = &one;
  return best;
}

std::string simulated_on(const simulated_variant& one) {
  return "simulated on " + one.machine;
}

/// The best rule of dataflow tasks.
void advise_pushing(items& to, const simulated_variant& best) {
  const std::string push = best.value.substr(best.value.find('=') + 1);
  const bool is_by_outputs = push == "output" || push == "weighted";
  to.push_back(
      {.id = "push",
       .what = fmt::format("Set option push to {}{}.", push, is_by_outputs ? ", and alloc to immediate" : ""),
       .evidence = fmt::format("An iteration of dataflow tasks takes {} with it, and {} with push=input, the default "
                               "(simulated on {}).",
                               time_words(best.time_ns), time_words(best.base_ns), best.machine),
       .gain = best.gain(),
       .gain_from = simulated_on(best),
       .command = fmt::format("NEARFORK_PUSH={}{}", push, is_by_outputs ? " NEARFORK_ALLOC=immediate" : "")});
}

void advise_policy(items& to, const advice_evidence& evidence) {
  const simulated_variant* const best = best_of(evidence, change::policy);
  if (best == nullptr) return;
  if (best->value.starts_with("push=")) return advise_pushing(to, *best);
  to.push_back(
      {.id = "policy",
       .what = fmt::format("Use policy {}.", best->value),
       .evidence = fmt::format("An iteration takes {} under it, and {} under the present policy (simulated on {}).",
                               time_words(best->time_ns), time_words(best->base_ns), best->machine),
       .gain = best->gain(),
       .gain_from = simulated_on(*best),
       .command = "NEARFORK_POLICY=" + best->value});
}

/// The simulation decides where there is one; else what a fork costs.
bool is_fine(const bracket_view& of, const advice_evidence& evidence) {
  if (static_cast<double>(of.leaves) <= leaves_for_each_worker * static_cast<double>(of.workers)) return false;
  const bool simulated =
      std::ranges::any_of(evidence.variants, [](const simulated_variant& one) { return one.what == change::grain; });
  return simulated ? best_of(evidence, change::grain) != nullptr
                   : of.work_ns / static_cast<double>(of.leaves) < fine_leaf_ns;
}

void advise_larger_leaves(items& to, const bracket_view& of, const advice_evidence& evidence) {
  const double mean = of.work_ns / static_cast<double>(of.leaves);
  const simulated_variant* const best = best_of(evidence, change::grain);
  const auto simulated_ns = best != nullptr ? parse_number(best->value, any_number) : std::nullopt;
  const double wanted = simulated_ns ? static_cast<double>(*simulated_ns) : good_leaf_ns;
  advice_item made{.id = "grain-too-fine",
                   .what = fmt::format("Make the leaves of region {} about {:.0f} times as large.", of.region,
                                       std::max(2.0, wanted / std::max(mean, 1.0))),
                   .evidence = fmt::format("{} leaves work for {} on average; a fork takes some 3 ns, and a steal some "
                                           "microseconds.",
                                           of.leaves, time_words(mean))};
  if (best != nullptr) {
    made.gain = best->gain();
    made.gain_from = simulated_on(*best);
  }
  to.push_back(std::move(made));
}

/// Returns true if it found something: other rules that look at the same time are silent then.
bool advise_finer_or_coarser(items& to, const bracket_view& of, const advice_evidence& evidence) {
  if (of.leaves == 0) return false;
  const auto workers = static_cast<double>(of.workers);
  const auto leaves = static_cast<double>(of.leaves);
  if (is_fine(of, evidence)) {
    advise_larger_leaves(to, of, evidence);
    return true;
  }
  if (!is_explained(of)) return false;
  const double share = of.work_ns / workers;
  if (of.longest_leaf_ns < least_split_ns) return false;
  if (of.longest_leaf_ns < 0.5 * share && leaves >= 2 * workers) return false;
  const double gain = 1 - share / std::max({least_time_ns(of), of.time_ns, 1.0});
  if (gain < worth_having || of.workers < 2) return false;
  to.push_back(
      {.id = "grain-too-coarse",
       .what = fmt::format("Split the leaves of region {}: none should work for more than {}.", of.region,
                           time_words(share / leaves_for_each_worker)),
       .evidence = fmt::format("It has {} for {} workers; the longest works for {}, and a worker's even share is {}.",
                               of.leaves == 1 ? "1 leaf" : fmt::format("{} leaves", of.leaves), of.workers,
                               time_words(of.longest_leaf_ns), time_words(share)),
       .gain = gain,
       .gain_from = "at most, from work and span"});
  return true;
}

/// The same for chains.
bool advise_serial(items& to, const bracket_view& of) {
  const double share = of.work_ns / static_cast<double>(of.workers);
  const double chain = of.span_ns - of.longest_leaf_ns;
  if (of.workers < 2 || of.span_ns <= share || chain < 0.5 * of.span_ns || !is_explained(of)) return false;
  to.push_back(
      {.id = "serial-fraction",
       .what = fmt::format("Shorten the longest chain of tasks in region {}: do less before, between and after forks.",
                           of.region),
       .evidence =
           fmt::format("The chain takes {}, of which {} are outside of the longest leaf; a worker's even share is {}.",
                       time_words(of.span_ns), time_words(chain), time_words(share)),
       .gain = 1 - share / std::max(of.span_ns, of.time_ns),
       .gain_from = "at most, from work and span"});
  return true;
}

double all_time_ns(const worker_time_view& of) {
  return of.work_ns + of.search_ns + of.parked_ns.value_or(0);
}

/// While regions ran, if it is known: what comes before and after them is no matter of balance.
double balanced_work_ns(const worker_time_view& of) {
  return of.region_work_ns.value_or(of.work_ns);
}

/// What to do about unequal work, by what is known of the tasks. nullptr: their number is not the reason.
std::string remedy_of_imbalance(const bracket_view* of) {
  if (of == nullptr)
    return "Even out the work of the workers: more and smaller tasks near the root, or shares by speed.";
  if (of->time_ns > 0 && of->time_ns < short_iteration_ns)
    return fmt::format(
        "Do more in each iteration of region {}: it takes {}, and to wake a worker takes some tens of microseconds.",
        of->region, time_words(of->time_ns));
  const double parallelism = of->work_ns / std::max(of->span_ns, 1.0);
  if (parallelism >= 4 * static_cast<double>(of->workers))
    return fmt::format("Keep the workers' cores free: there is work for all (parallelism {:.1f}), and some did little.",
                       parallelism);
  return "Even out the work of the workers: more and smaller tasks near the root, or shares by speed.";
}

/// The busiest worker's work beyond the mean, as a part of the time: no more than that can go.
void advise_balance(items& to, const report_view& of, const bracket_view* tasks) {
  if (of.simulated || of.worker_times.size() < 2) return;
  double sum = 0;
  for (const worker_time_view& one : of.worker_times) sum += balanced_work_ns(one);
  const worker_time_view& busiest = *std::ranges::max_element(of.worker_times, {}, balanced_work_ns);
  const double most = balanced_work_ns(busiest);
  const double mean = sum / static_cast<double>(of.worker_times.size());
  const double gain = (most - mean) / std::max(busiest.region_ns.value_or(all_time_ns(busiest)), 1.0);
  if (most < uneven * mean || gain < worth_having) return;
  to.push_back({.id = "imbalance",
                .what = remedy_of_imbalance(tasks),
                .evidence = fmt::format("{}the busiest worker works for {}, the mean is {} ({}).",
                                        busiest.region_ns ? "While regions run, " : "Over the whole trace, ",
                                        time_words(most), time_words(mean), of.file),
                .gain = gain,
                .gain_from = "at most, from the trace"});
}

/// True if one node has most pages and much less of the work.
bool is_first_touch(const pages_view& of) {
  const std::vector<double>& pages = of.before.empty() ? of.after : of.before;
  double all = 0;
  double work = 0;
  for (const double one : pages) all += one;
  for (const double one : of.work_ns) work += one;
  for (std::size_t i = 0; i < pages.size() && i < of.work_ns.size(); ++i)
    if (all > 0 && work > 0 && pages[i] >= most_of_pages * all && of.work_ns[i] < 0.5 * work) return true;
  return false;
}

void advise_pages(items& to, const std::vector<report_view>& views, const advice_evidence& evidence) {
  const simulated_variant* const best = best_of(evidence, change::pages);
  if (best == nullptr) return;
  bool first_touch = false;
  for (const report_view& view : views)
    first_touch = first_touch || (view.machine == best->machine && std::ranges::any_of(view.pages, is_first_touch));
  const bool bandwidth = best->value == "by-bandwidth";
  advice_item made{
      .id = bandwidth && evidence.has_hbm ? "hbm-unused"
            : first_touch                 ? "first-touch"
                                          : "page-placing",
      .what = bandwidth && evidence.has_hbm
                  ? "Put data into the fast memory, too: place arrays by bandwidth."
                  : fmt::format("Make the arrays nearfork::array with placing rule {}.", best->value),
      .evidence = fmt::format("With pages placed by rule {} an iteration takes {} instead of {} (simulated on {}).",
                              best->value, time_words(best->time_ns), time_words(best->base_ns), best->machine),
      .gain = best->gain(),
      .gain_from = simulated_on(*best),
      .command = "nearfork sim g.nfg --machine " + best->machine + " --pages " + best->value};
  if (first_touch) made.evidence += " Now one node has most pages, and most work is elsewhere.";
  to.push_back(std::move(made));
}

/// Where the data were filled outside of tasks, and that costs something if one thread did it.
void advise_filling(items& to, const advice_evidence& evidence) {
  if (std::ranges::any_of(to, [](const advice_item& one) { return one.id == "first-touch"; })) return;
  for (const simulated_variant& one : evidence.variants) {
    if (one.what != change::filler || one.time_ns <= 0) continue;
    const double gain = 1 - one.base_ns / one.time_ns;
    if (gain < worth_having) continue;
    return to.push_back(
        {.id = "first-touch",
         .what =
             "Let tasks fill the data that they work on, or use nearfork::array: pages lie on the node of the thread "
             "that writes them first.",
         .evidence = fmt::format("Tasks read data that no recorded task has written. If one thread filled the data, as "
                                 "the constructor of a "
                                 "vector does, an iteration takes {} instead of {} (simulated on {}).",
                                 time_words(one.time_ns), time_words(one.base_ns), one.machine),
         .gain = gain,
         .gain_from = simulated_on(one) + ", if one thread filled the data",
         .command = "nearfork sim g.nfg --machine " + one.machine + " --setup serial"});
  }
}

/// A simulated gain tells what one pass over the declared data costs. Where tasks may have made more of them, a small
/// gain tells nothing, and neither does a larger one tell the most that goes.
void advise_sharing(items& to, const data_evidence& data, const advice_evidence& evidence) {
  if (!data.is_shared()) return;
  const auto padded = std::ranges::find(evidence.variants, change::lines, &simulated_variant::what);
  const bool is_simulated = padded != evidence.variants.end();
  const bool matters = is_simulated && padded->gain() >= worth_telling;
  if (is_simulated && !matters && data.is_one_pass()) return;
  const double part = static_cast<double>(data.shared_lines) / static_cast<double>(data.written_lines);
  advice_item made = {
      .id = "false-sharing",
      .what = fmt::format("Let parts of {} that different tasks write begin at cache lines (64 bytes).",
                          data.shared_block.starts_with("data ") ? data.shared_block : "data " + data.shared_block),
      .evidence = fmt::format(
          "{} of its {} are written by more than one task of an iteration ({}): such a line goes from core to core.",
          data.shared_lines, counted(data.written_lines, "written line"), part_words(part))};
  if (is_simulated)
    made.evidence += fmt::format(
        " With parts on lines of their own an iteration{} takes {} instead of {} (simulated on "
        "{}).",
        data.region.empty() ? std::string() : " of region " + data.region, time_words(padded->time_ns),
        time_words(padded->base_ns), padded->machine);
  if (!data.is_one_pass())
    made.evidence +=
        " How often a task writes it is not known: the tasks work far longer than one pass over their data takes.";
  if (matters) {
    made.gain = padded->gain();
    made.gain_from = simulated_on(*padded) + ", at least: a hint counts as one pass";
  }
  to.push_back(std::move(made));
}

/// The best number of workers without the limit. nullptr: that was not simulated.
const simulated_variant* without(worker_limit::cause why, const advice_evidence& evidence) {
  const simulated_variant* best = nullptr;
  for (const simulated_variant& one : evidence.variants)
    if (one.what == change::workers && one.value == name_of(why) && (best == nullptr || one.gain() > best->gain()))
      best = &one;
  return best;
}

/// A gain that is too small is not told: that the limit costs nothing is no more certain than the simulation.
void add_gain(advice_item& to, const simulated_variant& simulated, std::string gain_from) {
  if (simulated.gain() < worth_having) return;
  to.gain = simulated.gain();
  to.gain_from = std::move(gain_from);
}

advice_item item_for_quota(const worker_limit& limit, double quota, const simulated_variant* simulated) {
  advice_item made{.id = "quota",
                   .what = fmt::format("Use {}, or raise the CPU quota.", counted(limit.present, "worker")),
                   .evidence = fmt::format("{} workers share a quota of {:.1f} cores.", limit.run, quota),
                   .command = fmt::format("NEARFORK_WORKERS={}", limit.present)};
  if (simulated == nullptr) return made;
  made.evidence += fmt::format(" With a quota for {} an iteration takes {}, and {} with {} (simulated on {}).",
                               simulated->workers, time_words(simulated->time_ns), time_words(simulated->base_ns),
                               simulated->base_workers, simulated->machine);
  add_gain(made, *simulated, simulated_on(*simulated) + ", if the quota is raised");
  return made;
}

advice_item item_for_oversubscription(const worker_limit& limit, const system_evidence& system,
                                      const simulated_variant* simulated) {
  const std::uint32_t workers = simulated != nullptr ? simulated->workers : system.cores;
  advice_item made{
      .id = "oversubscription",
      .what = fmt::format("Use no more than {}.", counted(workers, "worker")),
      .evidence = fmt::format("{} workers take turns on {}.", limit.run, counted(system.pus, "hardware thread")),
      .command = fmt::format("NEARFORK_WORKERS={}", workers)};
  if (simulated == nullptr) return made;
  made.evidence +=
      fmt::format(" With {} an iteration takes {} (simulated on {}); it took {} when it was recorded.", workers,
                  time_words(simulated->time_ns), simulated->machine, time_words(simulated->base_ns));
  add_gain(made, *simulated, simulated_on(*simulated) + ", beside the recorded time");
  return made;
}

/// nullopt: it is simulated that the program gains nothing.
std::optional<advice_item> item_for_affinity(const system_evidence& system, const simulated_variant* simulated) {
  if (simulated != nullptr && simulated->gain() < worth_having) return std::nullopt;
  advice_item made{.id = "affinity",
                   .what = "Let the process use the whole machine: widen its affinity mask or cpuset.",
                   .evidence = fmt::format("It may use {} of {} hardware threads.", system.pus, system.present_pus),
                   .command = "taskset -c 0-" + std::to_string(system.present_pus - 1) + " PROGRAM"};
  if (simulated == nullptr) return made;
  made.evidence += fmt::format(" With {} on all of it an iteration takes {}, and {} with {} now (simulated on {}).",
                               counted(simulated->workers, "worker"), time_words(simulated->time_ns),
                               time_words(simulated->base_ns), simulated->base_workers, simulated->machine);
  add_gain(made, *simulated, simulated_on(*simulated));
  return made;
}

void advise_workers(items& to, const std::vector<report_view>& views, const system_evidence& system,
                    const advice_evidence& evidence) {
  using cause = worker_limit::cause;
  for (const worker_limit& limit : worker_limits_of(views, system)) {
    const simulated_variant* const simulated = without(limit.why, evidence);
    if (limit.why == cause::quota) to.push_back(item_for_quota(limit, system.quota.value_or(0), simulated));
    if (limit.why == cause::oversubscription) to.push_back(item_for_oversubscription(limit, system, simulated));
    if (limit.why != cause::affinity) continue;
    if (auto made = item_for_affinity(system, simulated)) to.push_back(std::move(*made));
  }
}

/// It is about the recording or the trace, not about the program.
bool tells_of_observation(const degradation_view& one) {
  return one.remedy.find("NEARFORK_RECORD") != std::string::npos ||
         one.remedy.find("NEARFORK_TRACE") != std::string::npos;
}

void advise_rights(items& to, const std::vector<report_view>& views) {
  for (const report_view& view : views)
    for (const degradation_view& one : view.degradations)
      if (one.where != "machine" && !one.remedy.empty() && !tells_of_observation(one))
        return to.push_back({.id = "missing-rights",
                             .what = "Give nearfork what the system refuses: " + one.what + ".",
                             .evidence = one.where + ": " + one.why,
                             .command = one.remedy});
}

void advise_huge_pages(items& to, const advice_evidence& evidence) {
  if (!evidence.data || !evidence.system || evidence.system->huge_pages_remedy.empty()) return;
  if (evidence.data->bytes < bytes_for_huge_pages) return;
  to.push_back({.id = "huge-pages",
                .what = "Allow huge pages.",
                .evidence = fmt::format("The program works on {}, and the system refuses huge pages.",
                                        bytes_words(static_cast<double>(evidence.data->bytes))),
                .command = evidence.system->huge_pages_remedy});
}

}  // namespace

std::vector<advice_item> advice_from(const std::vector<report_view>& views, const advice_evidence& evidence) {
  items made;
  advise_policy(made, evidence);
  advise_pages(made, views, evidence);
  advise_filling(made, evidence);
  const bracket_view* const usual = typical_bracket(views);
  // Workers that do little because of the tree are no matter of their own.
  bool by_tree = usual != nullptr && advise_finer_or_coarser(made, *usual, evidence);
  if (usual != nullptr && advise_serial(made, *usual)) by_tree = true;
  if (!by_tree)
    for (const report_view& view : views) advise_balance(made, view, usual);
  if (evidence.data) advise_sharing(made, *evidence.data, evidence);
  if (evidence.system) advise_workers(made, views, *evidence.system, evidence);
  advise_rights(made, views);
  advise_huge_pages(made, evidence);
  return made;
}

}  // namespace nearfork::tools
