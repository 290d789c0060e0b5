#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/bench/result.hpp"
#include "tools/bench/statistics.hpp"
#include "tools/output/csv.hpp"
#include "tools/output/json_dump.hpp"

namespace nearfork::tools {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const contender_result& one, const workload_result& all) {
  const time_summary times = summarize(one.times_ns);
  ordered_json made = {
      {"name", one.name},       {"label", one.label},     {"workers", one.workers}, {"median_ns", times.median_ns},
      {"mad_ns", times.mad_ns}, {"min_ns", times.min_ns}, {"max_ns", times.max_ns}, {"times_ns", one.times_ns}};
  if (const auto* const serial = serial_contender(all))
    made["speed_to_serial"] = speed_ratio(serial->times_ns, one.times_ns);
  if (const auto* const first = first_contender(all))
    made["speed_to_first"] = speed_ratio(first->times_ns, one.times_ns);
  made["noisy"] = is_noisy(times);
  made["wrong_answers"] = one.wrong;
  if (one.wrong > 0) made["first_fault"] = one.first_fault;
  return made;
}

ordered_json json_of(const workload_result& one) {
  auto contenders = ordered_json::array();
  for (const contender_result& each : one.contenders) contenders.push_back(json_of(each, one));
  ordered_json made = {{"name", one.name}, {"size", one.size}, {"bytes", one.bytes}};
  if (one.cores_used_by_others) made["cores_used_by_others"] = *one.cores_used_by_others;
  made["contenders"] = contenders;
  made["warnings"] = warnings_of(one);
  return made;
}

ordered_json json_of(const bench_conditions& conditions) {
  return {
      {"started", conditions.started},   {"machine", conditions.machine},         {"workers", conditions.workers},
      {"governor", conditions.governor}, {"compiler", conditions.compiler},       {"build", conditions.build},
      {"seed", conditions.seed},         {"repetitions", conditions.repetitions}, {"warnings", conditions.warnings}};
}

}  // namespace

std::string json_text(const bench_result& result) {
  auto workloads = ordered_json::array();
  for (const workload_result& one : result.workloads) workloads.push_back(json_of(one));
  return dumped(ordered_json{{"version", 1}, {"conditions", json_of(result.conditions)}, {"workloads", workloads}}) +
         "\n";
}

std::string csv_text(const bench_result& result) {
  std::string text = "workload,size,contender,workers,repetitions,median_ns,mad_ns,min_ns,max_ns,wrong_answers\n";
  for (const workload_result& one : result.workloads)
    for (const contender_result& each : one.contenders) {
      const time_summary times = summarize(each.times_ns);
      text += fmt::format("{},{},{},{},{},{:.0f},{:.0f},{:.0f},{:.0f},{}\n", csv_field(one.name), csv_field(one.size),
                          csv_field(each.name), each.workers, times.count, times.median_ns, times.mad_ns, times.min_ns,
                          times.max_ns, each.wrong);
    }
  return text;
}

}  // namespace nearfork::tools
