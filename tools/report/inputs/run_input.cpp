#include <fmt/format.h>

#include "tools/report/inputs/json_views.hpp"
#include "tools/report/number_words.hpp"

namespace nearfork::tools {
namespace {

course_view course_of_run(const json_fields& region) {
  return {.name = region.text("name"), .why = region.texts("why"), .ran = region.whole("iterations")};
}

std::string energy_words(const json_fields& of) {
  std::string text;
  for (const json_fields& one : of.objects("energy"))
    text += fmt::format("{}{}: {:.3f} J, {:.2f} W", text.empty() ? "" : "; ", one.text("package"), one.number("joules"),
                        one.number("watts"));
  return text;
}

void add_region_facts(report_view& to, const json_fields& region) {
  const std::string name = "region " + region.text("name");
  to.facts.push_back({name, fmt::format("{} iterations: {} plain, {} profiled, {} planned", region.whole("iterations"),
                                        region.whole("plain"), region.whole("profiled"), region.whole("planned"))});
  if (const auto bytes = region.whole("input_bytes"); bytes > 0)
    to.facts.push_back({name + ", input", bytes_words(static_cast<double>(bytes))});
  if (const auto bytes = region.whole("moved_bytes"); bytes > 0)
    to.facts.push_back(
        {name + ", memory moved to its tasks",
         fmt::format("{}, undone {} times", bytes_words(static_cast<double>(bytes)), region.whole("moves_undone"))});
  if (const std::string energy = energy_words(region); !energy.empty()) to.facts.push_back({name + ", energy", energy});
}

void add_latency(report_view& to, const json_fields& of, const char* member, const char* name) {
  const json_fields latency = of.object(member);
  if (latency.whole("count") == 0) return;
  to.facts.push_back({name, fmt::format("median {}, p99 {}, highest {} ({} times)",
                                        time_words(latency.number("median_ns")), time_words(latency.number("p99_ns")),
                                        time_words(latency.number("highest_ns")), latency.whole("count"))});
}

void add_memory(report_view& to, const json_fields& memory) {
  if (memory.whole("blocks_made") == 0) return;
  to.facts.push_back({"placed memory", fmt::format("{} blocks made, {} live with {}", memory.whole("blocks_made"),
                                                   memory.whole("blocks"), bytes_words(memory.number("bytes")))});
  to.facts.push_back({"placed memory that was moved", bytes_words(memory.number("moved_bytes"))});
  if (memory.whole("stuck_bytes") > 0)
    to.facts.push_back({"placed memory that could not be moved", bytes_words(memory.number("stuck_bytes"))});
}

/// That stalls are not counted is no right that a program must have: `where` says so to those who look for these.
void add_stalls(report_view& to, const json_fields& stalls) {
  if (std::string event = stalls.text_if_there("event"); !event.empty())
    to.facts.push_back({"stalls on memory are counted by", std::move(event)});
  if (std::string note = stalls.text("note"); !note.empty())
    to.degradations.push_back({.what = "stalls on memory are not counted: they are part of work",
                               .where = "machine",
                               .why = std::move(note),
                               .remedy = stalls.text("remedy")});
}

}  // namespace

report_view view_of_run(const json_fields& of, const std::string& file) {
  of.require_version(1);
  report_view made{.file = file,
                   .kind = "run report",
                   .policy = of.text("policy"),
                   .machine = of.text("machine"),
                   .workers = of.objects("workers").size(),
                   .domains = of.whole("domains")};
  made.facts.push_back({"name", of.text("name")});
  made.facts.push_back({"policy from", of.text("policy_source")});
  made.facts.push_back({"machine from", of.text("machine_source")});
  matrix_view steals{.title = "Steals by distance",
                     .row_is = "",
                     .column_is = "distance",
                     .rows = {"steals"},
                     .columns = {},
                     .cells = {{}}};
  double all = 0;
  const json_fields by_distance = of.object("steals");
  for (const char* const distance : {"core", "cache", "node", "package", "machine"}) {
    const double count = by_distance.number(distance);
    steals.columns.emplace_back(distance);
    steals.cells.front().push_back(count);
    all += count;
  }
  if (all > 0) made.matrices.push_back(std::move(steals));
  made.facts.push_back({"steals", fmt::format("{:.0f}, failed {}", all, of.whole("failed_steals"))});
  add_latency(made, of, "steal_latency", "out of work to work again");
  made.facts.push_back({"parks", fmt::format("{}, wake-ups {}", of.whole("parks"), of.whole("wake_ups"))});
  add_latency(made, of, "wake_latency", "notified to running");
  for (const json_fields& region : of.objects("regions")) {
    made.courses.push_back(course_of_run(region));
    add_region_facts(made, region);
  }
  add_memory(made, of.object("memory"));
  if (of.has("places")) add_places(made, of.object("places"));
  if (const std::string energy = energy_words(of.object("power")); !energy.empty())
    made.facts.push_back({"energy", energy});
  if (of.has("stalls")) add_stalls(made, of.object("stalls"));
  for (const json_fields& one : of.objects("degradations"))
    made.degradations.push_back({one.text("what"), one.text("where"), one.text("why"), one.text("remedy")});
  return made;
}

}  // namespace nearfork::tools
