#include "tools/report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text/message_text.hpp"
#include "tools/report/number_words.hpp"

namespace nearfork::tools {
namespace {

constexpr std::size_t most_advice = 5;

template <class Part>
const report_view* first_with(const std::vector<report_view>& views, Part report_view::* part) {
  const auto found = std::ranges::find_if(views, [&](const report_view& one) { return !(one.*part).empty(); });
  return found == views.end() ? nullptr : &*found;
}

bool only_benchmarks(const std::vector<report_view>& views) {
  return std::ranges::all_of(views, [](const report_view& one) { return one.kind == "benchmark"; });
}

double total_ns(const course_view& of) {
  return of.each_ns.value_or(0) * static_cast<double>(of.ran.value_or(of.iterations.size()));
}

/// Of the first view that has times, the course that takes longest. Measured views come before simulated ones.
const course_view* course_to_tell(const std::vector<report_view>& views, const report_view*& of) {
  for (const bool simulated : {false, true})
    for (const report_view& view : views) {
      const auto longest = std::ranges::max_element(view.courses, {}, total_ns);
      if (view.simulated != simulated || longest == view.courses.end() || !longest->each_ns) continue;
      of = &view;
      return &*longest;
    }
  return nullptr;
}

std::string how_fast(const std::vector<report_view>& views) {
  const report_view* const bench = first_with(views, &report_view::contenders);
  if (bench != nullptr && only_benchmarks(views)) {
    const auto& best = *std::ranges::min_element(bench->contenders, {}, &contender_view::median_ns);
    return fmt::format("{} takes {} with {} and {}, the least of {} (median of runs).", best.workload,
                       time_words(best.median_ns), best.name, counted(best.workers, "worker"),
                       counted(bench->contenders.size(), "contender"));
  }
  const report_view* of = nullptr;
  const course_view* const course = course_to_tell(views, of);
  if (course == nullptr)
    return "How fast it is, is not in these files: they have no time of an iteration. Add a trace or a recording.";
  if (of->kind == "simulation") {
    const auto& best =
        *std::ranges::min_element(of->courses, {}, [](const course_view& one) { return one.each_ns.value_or(1e300); });
    return fmt::format("Simulated: an iteration takes {} on {} with {} under {}, the fastest policy of {}.",
                       time_words(*best.each_ns), of->machine, counted(of->workers, "worker"), best.name,
                       of->courses.size());
  }
  if (const bracket_view* const one = typical_bracket(views); one != nullptr && one->time_ns > 0 && one->iteration > 0)
    return fmt::format("An iteration of region {} takes {} with {} (recorded); its work is {}, {:.2f} times that.",
                       one->region, time_words(one->time_ns), counted(one->workers, "worker"), time_words(one->work_ns),
                       one->work_ns / one->time_ns);
  return fmt::format("An iteration of region {} takes {} with {} ({}{}).", course->name, time_words(*course->each_ns),
                     counted(of->workers, "worker"), of->kind, of->simulated ? ", simulated" : "");
}

std::string of_worker_times(const report_view& view) {
  double work = 0;
  double search = 0;
  double parked = 0;
  for (const worker_time_view& one : view.worker_times) {
    work += one.work_ns;
    search += one.search_ns;
    parked += one.parked_ns.value_or(0);
  }
  const double all = std::max(work + search + parked, 1.0);
  const auto region_ns = view.worker_times.front().region_ns;
  if (region_ns && *region_ns > 0) {
    double in_regions = 0;
    for (const worker_time_view& one : view.worker_times) in_regions += one.region_work_ns.value_or(0);
    const auto workers = static_cast<double>(view.worker_times.size());
    return fmt::format("While regions run, {} of the {}, workers work for {} of their time ({}{}).",
                       time_words(*region_ns), time_words(all / workers),
                       part_words(in_regions / (*region_ns * workers)), view.kind, view.simulated ? ", simulated" : "");
  }
  return fmt::format("Workers work for {} of their time, search or wait for {} and are parked for {} ({}).",
                     part_words(work / all), part_words(search / all), part_words(parked / all), view.kind);
}

/// Measured, or else the shortest of the simulated traces.
const report_view* view_of_workers(const std::vector<report_view>& views) {
  const report_view* best = nullptr;
  for (const report_view& one : views) {
    if (one.worker_times.empty()) continue;
    if (!one.simulated) return &one;
    if (one.timeline && (best == nullptr || one.timeline->length_ns < best->timeline->length_ns)) best = &one;
  }
  return best;
}

std::string held_back(const std::vector<report_view>& views) {
  std::string text;
  if (const bracket_view* const one = typical_bracket(views)) {
    const auto workers = static_cast<double>(one->workers);
    const double parallelism = one->work_ns / std::max(one->span_ns, 1.0);
    // Each piece of work was timed on its own, and the clock goes on while another program has the core.
    if (one->time_ns > 0 && one->time_ns < 0.9 * least_time_ns(*one))
      text = fmt::format(
          "An iteration of region {} takes {}, and its recorded work and span need {} with {}: other programs took "
          "time "
          "from its tasks. Record again on a quiet machine.",
          one->region, time_words(one->time_ns), time_words(least_time_ns(*one)), counted(one->workers, "worker"));
    else if (parallelism < 2 * workers && !is_explained(*one))
      text = fmt::format(
          "The tasks of region {} that the recording has work for {} of the {} of an iteration: the rest is waiting, "
          "the creation of tasks, other programs, or tasks that it does not have, such as those of async().",
          one->region, time_words(one->work_ns), time_words(one->time_ns));
    else if (parallelism < 2 * workers)
      text = fmt::format("The longest chain of tasks holds it back: parallelism is {:.1f} for {}.", parallelism,
                         counted(one->workers, "worker"));
    else if (one->time_ns > 1.25 * least_time_ns(*one))
      text = fmt::format(
          "Parallelism is enough ({:.1f} for {}), but an iteration takes {:.2f} times the {} "
          "that work and span need.",
          parallelism, counted(one->workers, "worker"), one->time_ns / std::max(least_time_ns(*one), 1.0),
          time_words(least_time_ns(*one)));
    else
      text = fmt::format("Little: it is within {} of the least time that work and span allow with {}.",
                         part_words(std::max(0.0, one->time_ns / std::max(least_time_ns(*one), 1.0) - 1)),
                         counted(one->workers, "worker"));
  }
  if (const report_view* const one = view_of_workers(views); one != nullptr && (!one->simulated || text.empty()))
    text += (text.empty() ? "" : " ") + of_worker_times(*one);
  if (text.empty())
    return "What holds it back is not in these files: a recording has work and span, and a trace where workers' time "
           "went.";
  return text;
}

std::string to_do(const std::vector<advice_item>& advice, const std::vector<report_view>& views) {
  if (!advice.empty()) {
    const advice_item& first = advice.front();
    return first.what + (first.gain
                             ? fmt::format(" Expected: {} less time ({}).", part_words(*first.gain), first.gain_from)
                             : std::string());
  }
  const what_if_view* best = nullptr;
  for (const report_view& view : views)
    for (const what_if_view& one : view.what_if)
      if (one.gain && *one.gain > 0.01 && (best == nullptr || *one.gain > *best->gain)) best = &one;
  if (best != nullptr)
    return fmt::format("On {}, use {}{}: {} less time than plain stealing (simulated).", best->machine,
                       best->policy.starts_with("push=") ? "option " : "policy ", best->policy,
                       part_words(*best->gain));
  return "Nothing in these files shows a gain worth having.";
}

template <class Has>
void require_part(std::vector<missing_part>& to, const std::vector<report_view>& views, const Has& has,
                  const char* part, const char* remedy) {
  if (std::ranges::none_of(views, has)) to.push_back({part, remedy});
}

std::vector<missing_part> missing_parts(const std::vector<report_view>& views) {
  std::vector<missing_part> made;
  require_part(
      made, views, [](const auto& one) { return one.timeline.has_value(); }, "Timeline",
      "nearfork trace -o t.pftrace -- PROGRAM, then give t.pftrace, too");
  require_part(
      made, views,
      [](const auto& one) {
        return std::ranges::any_of(one.courses, [](const auto& each) { return !each.iterations.empty(); });
      },
      "Iterations over time", "nearfork trace -o t.pftrace -- PROGRAM, then give t.pftrace, too");
  require_part(
      made, views, [](const auto& one) { return !one.worker_times.empty(); }, "Where workers' time went",
      "nearfork trace -o t.pftrace -- PROGRAM, then give t.pftrace, too");
  require_part(
      made, views, [](const auto& one) { return !one.matrices.empty(); }, "Steals and traffic",
      "nearfork trace has steals; NEARFORK_REPORT=r.json nearfork record -o g.nfg -- PROGRAM has traffic, if tasks say "
      "what they touch; nearfork sim g.nfg --json > s.json has it simulated");
  require_part(
      made, views, [](const auto& one) { return !one.brackets.empty(); }, "Work, span and parallelism",
      "nearfork record -o g.nfg -- PROGRAM, then give g.nfg, too");
  require_part(
      made, views, [](const auto& one) { return !one.trees.empty(); }, "Task tree",
      "nearfork record -o g.nfg -- PROGRAM, then give g.nfg, too");
  require_part(
      made, views, [](const auto& one) { return !one.pages.empty() || !one.page_maps.empty(); }, "Where pages lie",
      "NEARFORK_REPORT=r.json PROGRAM, then give r.json, too; nearfork sim g.nfg --json > s.json has them simulated");
  require_part(
      made, views, [](const auto& one) { return !one.what_if.empty(); }, "What-if",
      "nearfork report g.nfg --machine NAME simulates a recording; or give the JSON of nearfork sim");
  return made;
}

std::string title_of(const std::vector<report_view>& views) {
  std::string text;
  for (const report_view& one : views)
    if (text.find(one.file) == std::string::npos) text += (text.empty() ? "" : ", ") + one.file;
  return text;
}

/// What simulations assumed of their machines, each once.
std::vector<std::string> notes_of(const std::vector<report_view>& views) {
  std::vector<std::string> made;
  for (const report_view& view : views)
    for (const view_fact& one : view.facts)
      if (one.name == assumed_fact && std::ranges::find(made, one.text) == made.end()) made.push_back(one.text);
  return made;
}

}  // namespace

const bracket_view* typical_bracket(const std::vector<report_view>& views) {
  const auto weight = [](const bracket_view& one) { return std::max(one.work_ns, one.work_in_run_ns); };
  const bracket_view* heaviest = nullptr;
  for (const report_view& view : views)
    for (const bracket_view& one : view.brackets)
      if (heaviest == nullptr || weight(one) > weight(*heaviest)) heaviest = &one;
  if (heaviest == nullptr) return nullptr;
  std::vector<const bracket_view*> of_region;
  for (const report_view& view : views)
    for (const bracket_view& one : view.brackets)
      if (one.region == heaviest->region) of_region.push_back(&one);
  const auto middle = of_region.begin() + static_cast<std::ptrdiff_t>(of_region.size() / 2);
  std::ranges::nth_element(of_region, middle, {}, [](const bracket_view* one) { return one->time_ns; });
  return *middle;
}

bool is_explained(const bracket_view& of) noexcept {
  return of.work_ns >= 0.5 * of.time_ns;
}

double least_time_ns(const bracket_view& of) noexcept {
  return std::max(of.span_ns, of.work_ns / static_cast<double>(std::max<std::uint64_t>(of.workers, 1)));
}

std::vector<advice_item> sorted_by_gain(std::vector<advice_item> items) {
  std::ranges::stable_sort(items, std::greater{}, [](const advice_item& one) { return one.gain.value_or(-1); });
  if (items.size() > most_advice) items.resize(most_advice);
  return items;
}

report_document document_of(std::vector<report_view> views, std::vector<advice_item> advice) {
  report_document made{.title = title_of(views),
                       .how_fast = {},
                       .held_back = {},
                       .to_do = {},
                       .notes = {},
                       .advice = {},
                       .views = {},
                       .missing = {}};
  made.advice = sorted_by_gain(std::move(advice));
  made.how_fast = how_fast(views);
  if (!only_benchmarks(views)) {
    made.held_back = held_back(views);
    made.missing = missing_parts(views);
  } else {
    made.held_back = "A benchmark compares contenders and does not say why; a trace and a recording do.";
  }
  made.to_do = to_do(made.advice, views);
  made.notes = notes_of(views);
  made.views = std::move(views);
  return made;
}

}  // namespace nearfork::tools
