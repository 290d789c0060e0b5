#include "tools/report/document_json.hpp"

#include <fmt/format.h>

#include <iterator>

#include "tools/output/json_dump.hpp"

namespace nearfork::tools {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const view_fact& of);
ordered_json json_of(const iteration_view& of);
ordered_json json_of(const course_view& of);
ordered_json json_of(const matrix_view& of);
ordered_json json_of(const worker_time_view& of);
ordered_json json_of(const bracket_view& of);
ordered_json json_of(const pages_view& of);
ordered_json json_of(const page_map_view& of);
ordered_json json_of(const tree_view& of);
ordered_json json_of(const what_if_view& of);
ordered_json json_of(const contender_view& of);
ordered_json json_of(const counter_view& of);
ordered_json json_of(const degradation_view& of);
ordered_json json_of(const missing_part& of);
ordered_json json_of(const report_view& of);

template <class Items>
ordered_json list_of(const Items& items) {
  auto made = ordered_json::array();
  for (const auto& one : items) made.push_back(json_of(one));
  return made;
}

template <class Value>
void add_if(ordered_json& to, const char* name, const std::optional<Value>& value) {
  if (value) to[name] = *value;
}

ordered_json json_of(const view_fact& of) {
  return {{"name", of.name}, {"text", of.text}};
}
ordered_json json_of(const iteration_view& of) {
  return {{"number", of.number}, {"time_ns", of.time_ns}, {"kind", of.kind}, {"why", of.why}};
}
ordered_json json_of(const course_view& of) {
  ordered_json made = {{"name", of.name}, {"iterations", list_of(of.iterations)}, {"why", of.why}};
  add_if(made, "each_ns", of.each_ns);
  add_if(made, "ran", of.ran);
  return made;
}
ordered_json json_of(const matrix_view& of) {
  return {{"title", of.title}, {"row_is", of.row_is},   {"column_is", of.column_is},
          {"rows", of.rows},   {"columns", of.columns}, {"cells", of.cells}};
}
ordered_json json_of(const worker_time_view& of) {
  ordered_json made = {{"name", of.name}, {"domain", of.domain}, {"work_ns", of.work_ns}, {"search_ns", of.search_ns}};
  add_if(made, "parked_ns", of.parked_ns);
  add_if(made, "stall_ns", of.stall_ns);
  add_if(made, "region_work_ns", of.region_work_ns);
  add_if(made, "region_ns", of.region_ns);
  return made;
}
ordered_json json_of(const bracket_view& of) {
  return {{"region", of.region},   {"iteration", of.iteration},
          {"tasks", of.tasks},     {"leaves", of.leaves},
          {"work_ns", of.work_ns}, {"span_ns", of.span_ns},
          {"time_ns", of.time_ns}, {"longest_leaf_ns", of.longest_leaf_ns},
          {"workers", of.workers}};
}
ordered_json json_of(const pages_view& of) {
  return {{"what", of.what}, {"nodes", of.nodes}, {"before", of.before}, {"after", of.after}, {"work_ns", of.work_ns}};
}
ordered_json json_of(const page_map_view& of) {
  return {
      {"from", of.from}, {"before", json_of(of.before)}, {"after", json_of(of.after)}, {"tasks", json_of(of.tasks)}};
}
ordered_json json_of(const tree_view& of) {
  auto nodes = ordered_json::array();
  for (const subtree_view& one : of.nodes) {
    ordered_json made = {{"parent", one.parent}, {"task", one.task}, {"tasks", one.tasks}, {"work_ns", one.work_ns}};
    add_if(made, "domain", one.domain);
    nodes.push_back(std::move(made));
  }
  return {{"region", of.region}, {"left_out", of.left_out}, {"domains_from", of.domains_from}, {"nodes", nodes}};
}
ordered_json json_of(const what_if_view& of) {
  ordered_json made = {
      {"machine", of.machine}, {"workers", of.workers}, {"policy", of.policy}, {"time_ns", of.time_ns}};
  add_if(made, "gain", of.gain);
  add_if(made, "speed_up", of.speed_up);
  return made;
}
ordered_json json_of(const contender_view& of) {
  return {{"workload", of.workload}, {"name", of.name},       {"workers", of.workers}, {"median_ns", of.median_ns},
          {"least_ns", of.least_ns}, {"most_ns", of.most_ns}, {"wrong", of.wrong}};
}
ordered_json json_of(const degradation_view& of) {
  return {{"what", of.what}, {"where", of.where}, {"why", of.why}, {"remedy", of.remedy}};
}
ordered_json json_of(const missing_part& of) {
  return {{"part", of.part}, {"remedy", of.remedy}};
}

ordered_json json_of(const counter_view& of) {
  auto times = ordered_json::array();
  auto values = ordered_json::array();
  for (const counter_view::point& one : of.points) {
    times.push_back(one.at_ns);
    values.push_back(one.value);
  }
  return {{"name", of.name}, {"at_ns", times}, {"values", values}};
}

ordered_json json_of(const report_view& of) {
  return {{"file", of.file},
          {"kind", of.kind},
          {"simulated", of.simulated},
          {"policy", of.policy},
          {"machine", of.machine},
          {"workers", of.workers},
          {"domains", of.domains},
          {"timeline", of.timeline.has_value()},
          {"facts", list_of(of.facts)},
          {"counters", list_of(of.counters)},
          {"courses", list_of(of.courses)},
          {"matrices", list_of(of.matrices)},
          {"worker_times", list_of(of.worker_times)},
          {"brackets", list_of(of.brackets)},
          {"pages", list_of(of.pages)},
          {"page_maps", list_of(of.page_maps)},
          {"trees", list_of(of.trees)},
          {"what_if", list_of(of.what_if)},
          {"contenders", list_of(of.contenders)},
          {"degradations", list_of(of.degradations)}};
}

template <class Items, class Get>
void add_column(std::string& to, const char* name, const Items& items, const Get& get) {
  fmt::format_to(std::back_inserter(to), ",\"{}\":[", name);
  const char* separator = "";
  for (const auto& one : items) {
    fmt::format_to(std::back_inserter(to), "{}{}", separator, get(one));
    separator = ",";
  }
  to += ']';
}

/// Differences of times; from 0 on each track.
template <class Time>
auto differences(Time time) {
  return [time, before = std::uint64_t{0}, track = std::uint32_t{0}](const auto& one) mutable {
    if (one.track != track) before = 0;
    track = one.track;
    const std::uint64_t made = one.*time - before;
    before = one.*time;
    return made;
  };
}

}  // namespace

ordered_json json_of(const advice_item& of) {
  ordered_json made = {{"id", of.id}, {"what", of.what}, {"evidence", of.evidence}};
  add_if(made, "gain", of.gain);
  made["gain_from"] = of.gain_from;
  made["command"] = of.command;
  return made;
}

ordered_json json_of(const report_document& of) {
  return {{"version", 1},
          {"title", of.title},
          {"answer", {of.how_fast, of.held_back, of.to_do}},
          {"notes", of.notes},
          {"advice", list_of(of.advice)},
          {"views", list_of(of.views)},
          {"missing", list_of(of.missing)}};
}

std::string timeline_json(const timeline_view& line) {
  auto tracks = ordered_json::array();
  for (const timeline_view::track& one : line.tracks) tracks.push_back({{"name", one.name}, {"domain", one.domain}});
  const ordered_json head = {
      {"length_ns", line.length_ns}, {"tracks", tracks}, {"names", line.names}, {"notes", line.notes}};
  std::string text = dumped(head, -1);
  text.pop_back();  // the closing bracket: columns follow
  using slice = timeline_view::slice;
  using instant = timeline_view::instant;
  auto begin = differences(&slice::begin_ns);
  auto at = differences(&instant::at_ns);
  add_column(text, "begin", line.slices, [&](const slice& one) { return begin(one); });
  add_column(text, "length", line.slices, [](const slice& one) { return one.length_ns; });
  add_column(text, "track", line.slices, [](const slice& one) { return one.track; });
  add_column(text, "name", line.slices, [](const slice& one) { return one.name; });
  add_column(text, "note", line.slices, [](const slice& one) { return one.note; });
  add_column(text, "depth", line.slices, [](const slice& one) { return one.depth; });
  add_column(text, "at", line.instants, [&](const instant& one) { return at(one); });
  add_column(text, "instant_track", line.instants, [](const instant& one) { return one.track; });
  add_column(text, "instant_name", line.instants, [](const instant& one) { return one.name; });
  add_column(text, "instant_note", line.instants, [](const instant& one) { return one.note; });
  return text + "}";
}

}  // namespace nearfork::tools
