#include "tools/advice/advised_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/output/standard_streams.hpp"
#include "machine/live/grants.hpp"
#include "machine/model/machine.hpp"
#include "recording/recording_file.hpp"
#include "recording/whole_file.hpp"
#include "tools/advice/recorded_data.hpp"
#include "tools/advice/rules.hpp"
#include "tools/advice/simulations/simulations.hpp"
#include "tools/report/findings.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/report/number_words.hpp"
#include "tools/terminal/colours.hpp"

namespace nearfork::tools {
namespace {

struct read_files {
  std::vector<report_view> views;
  std::optional<recordings::recording> recorded;  // the first recording
  std::string path;                               // of it
  std::string name;                               // as views show it
  std::size_t place = 0;                          // of its view
  std::vector<std::string> notes;
};

std::string name_alone(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

read_files read(const document_request& request) {
  read_files made;
  for (const std::string& path : request.files) {
    const std::string content = recordings::read_whole_file(path);
    const std::string file = request.names_alone ? name_alone(path) : path;
    if (is_recording(content) && !made.recorded) {
      made.recorded = recordings::from_bytes(content, file);
      made.path = path;
      made.name = file;
      made.place = made.views.size();
      made.views.push_back(view_of_recording(*made.recorded, file));
      continue;
    }
    std::vector<report_view> views = views_of(content, file);
    made.views.insert(made.views.end(), std::move_iterator(views.begin()), std::move_iterator(views.end()));
  }
  return made;
}

system_evidence system_here() {
  const auto here = live_machine();
  system_evidence made{.cores = static_cast<std::uint32_t>(here->cores().size()),
                       .pus = static_cast<std::uint32_t>(here->pus().size()),
                       .present_pus = static_cast<std::uint32_t>(here->present_pus()),
                       .quota = here->cpu_quota()};
  for (const grant& one : try_everything())
    if (one.what.find("huge") != std::string::npos && one.state == grant_state::denied)
      made.huge_pages_remedy = one.remedy;
  return made;
}

std::string fastest_policy(const report_view& simulated) {
  const auto best = std::ranges::min_element(simulated.courses, {},
                                             [](const course_view& one) { return one.each_ns.value_or(1e300); });
  return best == simulated.courses.end() ? "random" : best->name;
}

void simulate(read_files& into, advice_evidence& evidence, const std::vector<std::string>& machines) {
  if (!into.path.ends_with(".nfg"))
    return tell("nearfork: " + into.path + " is a recording, but its name does not end in .nfg: it is not simulated");
  simulated_evidence found = simulated_evidence_of(
      into.path, *into.recorded, machines, into.name,
      evidence.system ? worker_limits_of(into.views, *evidence.system) : std::vector<worker_limit>());
  if (found.interrupted) return tell("nearfork: interrupted; the report has no simulation");
  into.notes = std::move(found.notes);
  evidence.variants = std::move(found.variants);
  evidence.has_hbm = found.has_hbm;
  const std::size_t first = into.views.size();
  into.views.insert(into.views.end(), std::move_iterator(found.views.begin()), std::move_iterator(found.views.end()));
  if (first < into.views.size())
    add_simulated_places(into.views[into.place], into.views[first], into.path, *into.recorded,
                         machines.empty() ? "" : machines.front(), fastest_policy(into.views[first]));
}

bool measured_here(const std::vector<report_view>& views) {
  return std::ranges::any_of(views, [](const report_view& one) { return one.kind == "run report"; });
}

}  // namespace

report_document advised_document(const document_request& request) {
  read_files all = read(request);
  advice_evidence evidence;
  if (all.recorded) evidence.data = data_evidence_of(*all.recorded);
  if (measured_here(all.views)) evidence.system = system_here();
  if (all.recorded && request.simulates && !all.recorded->regions.empty()) simulate(all, evidence, request.machines);
  std::vector<advice_item> advice = advice_from(all.views, evidence);
  report_document made = document_of(std::move(all.views), std::move(advice));
  std::ranges::move(all.notes, std::back_inserter(made.notes));
  return made;
}

std::string advice_text(const report_document& document, bool has_colours) {
  std::string text = fmt::format("{}\n{}\n", document.how_fast, document.held_back);
  for (const std::string& note : document.notes) text += note + "\n";
  for (const report_view& view : document.views)
    for (const view_fact& one : view.facts)
      if (one.name == "expectation") text += one.text + "\n";
  if (document.advice.empty()) return text + document.to_do + "\n";
  std::size_t number = 0;
  for (const advice_item& one : document.advice) {
    const std::string gain = one.gain ? fmt::format("{} less time, {}", part_words(*one.gain), one.gain_from)
                                      : std::string("gain not known");
    text += fmt::format("\n{}. {} [{}]\n   {}\n", ++number, painted(colour::bold, one.what, has_colours), gain,
                        one.evidence);
    if (!one.command.empty()) text += fmt::format("   {}\n", one.command);
  }
  return text;
}

}  // namespace nearfork::tools
