// Small files of each kind that reports are made from.
#pragma once

#include <cstdint>
#include <string>

#include "recording/recording.hpp"
#include "trace/traced_run.hpp"

namespace nearfork::tools::sample_files {

/// `text` with the first `from` replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline std::string run_report() {
  return R"({"version": 1, "name": "nearfork", "policy": "auto", "policy_source": "default", "machine": "2 packages",
"machine_source": "live", "domains": 2, "workers": [{"index": 0}, {"index": 1}],
"steals": {"core": 0, "cache": 1, "node": 0, "package": 0, "machine": 5}, "failed_steals": 47, "forced": 1, "mugs": 0,
"steal_latency": {"count": 5, "median_ns": 247, "p99_ns": 1633168, "highest_ns": 1633168},
"parks": 4, "wake_ups": 2, "wake_latency": {"count": 0},
"regions": [{"name": "heat", "iterations": 20, "plain": 6, "profiled": 1, "planned": 13, "why": [], "input_bytes": 4194304,
  "placed_blocks": 0, "moved_bytes": 0, "moves_undone": 0, "energy": []}],
"memory": {"blocks_made": 0, "blocks": 0, "bytes": 0, "moved_bytes": 0, "stuck_bytes": 0},
"places": {"looks": 5, "asked_pages": 80, "looking_ns": 9000, "nodes": [0, 2],
  "domains": [{"domain": 0, "node": 0, "hinted_bytes": [7000, 1000]}, {"domain": 1, "node": 2, "hinted_bytes": [3000, 5000]}],
  "blocks": [{"name": "grid", "bytes": 131072, "pages": 32, "asked": 16, "first": [12, 0], "last": [7, 8], "hinted_bytes": [8000, 8000]}],
  "blocks_left_out": 3, "hinted_regions": 1, "unplaced_bytes": 2048, "note": ""},
"power": {"mode": "off", "energy": []},
"stalls": {"event": null, "note": "kernel.perf_event_paranoid is 3", "remedy": "sudo sysctl kernel.perf_event_paranoid=2"},
"degradations": [{"what": "cache misses are not counted", "where": "perf_event_open", "why": "Permission denied",
  "remedy": "sysctl kernel.perf_event_paranoid=1"}]})";
}

inline std::string simulation() {
  const std::string steals = R"("steals": {"core": 0, "cache": 2, "node": 0, "package": 0, "machine": 1})";
  const auto policy = [&](const std::string& name, const std::string& time, const std::string& more) {
    return R"({"policy": ")" + name + R"(", "why": ["no plan"], "per_iteration": {"time_ns": )" + time +
           R"(, "caches": [{"level": 1, "accesses": 9, "misses": 4}], "local_lines": 3, "remote_lines": 1, )" + steals +
           "}, " + more + "}";
  };
  return R"({"version": 1, "simulated": true, "workload": "heat", "size": "small", "bytes": 4096, "machines": [{"name": "box",
"summary": "2 packages", "workers": 2, "policies": [)" +
         policy("random", "100.0", R"("gain_over_random": 0.0, "iterations": [])") + "," +
         policy("laws", "50.0",
                R"("gain_over_random": 0.5,
"iterations": [{"time_ns": 120, "profiling": true, "planned": true, "steady": false, "why": "none"},
  {"time_ns": 60, "profiling": false, "planned": true, "steady": false, "why": "trying"},
  {"time_ns": 50, "profiling": false, "planned": true, "steady": true, "why": "settled"}],
"workers": [{"worker": 0, "domain": 0, "busy_ns": 40, "stall_ns": 15}, {"worker": 1, "domain": 1, "busy_ns": 50, "stall_ns": 20}],
"pages": {"nodes": [{"node": 0, "pages": 256, "first_pages": 512, "work_ns": 40},
  {"node": 1, "pages": 256, "first_pages": 0, "work_ns": 50}]})") +
         "]}]}";
}

inline std::string benchmark() {
  return R"({"version": 1, "conditions": {"started": "now", "machine": "box", "workers": "2", "governor": "none", "compiler": "gcc",
"build": "release", "warnings": []}, "workloads": [{"name": "heat", "size": "test", "warnings": [],
"contenders": [{"name": "serial", "workers": 1, "median_ns": 11900, "min_ns": 11800, "max_ns": 12000, "wrong_answers": 0}]}]})";
}

/// Worker 0 runs an iteration and shares; worker 1 steals a task from it, and parks.
inline traces::traced_run stolen_task() {
  using traces::event_kind;
  traces::traced_run run{.title = "small", .process = 7, .names = {"", "heat", "the shares changed"}, .workers = {}};
  run.workers.push_back({.domain = 0, .node = 0});
  run.workers.push_back({.domain = 1, .node = 1});
  const auto steady = static_cast<std::uint8_t>(traces::iteration_word::steady);
  const auto stolen = static_cast<std::uint8_t>(traces::task_origin::stolen);
  run.workers[0].events = {
      {.at = 1000, .number = 2, .name = 1, .kind = event_kind::plan_changes, .detail = 0},
      {.at = 1000, .value = 3, .name = 1, .kind = event_kind::region_begins, .detail = steady},
      {.at = 1100, .subject = 50, .kind = event_kind::shares},
      {.at = 3000, .kind = event_kind::region_ends, .detail = 1},
  };
  run.workers[1].events = {
      {.at = 1200, .subject = 9, .value = 50, .number = 0, .kind = event_kind::takes_steal, .detail = 4},
      {.at = 1200, .subject = 9, .kind = event_kind::task_begins, .detail = stolen},
      {.at = 2200, .subject = 9, .kind = event_kind::task_ends},
      {.at = 2500, .kind = event_kind::parks},
      {.at = 2900, .kind = event_kind::woken},
  };
  return run;
}

/// A root that forks `leaves` leaves of `leaf_ns` each, with one block that each writes a part of.
inline recordings::recording flat_recording(std::uint32_t leaves, std::uint64_t leaf_ns, std::uint64_t piece_bytes) {
  recordings::task_graph graph;
  const std::uint32_t branching[] = {leaves};
  graph.add_task(branching);
  graph.add_stretch(10, {});
  graph.add_stretch(10, {});
  for (std::uint32_t i = 0; i < leaves; ++i) {
    const recordings::data_access part[] = {
        {.kind = recordings::access_kind::write, .begin_byte = i * piece_bytes, .size_bytes = piece_bytes}};
    graph.add_task({});
    graph.add_stretch(leaf_ns, part);
  }
  const std::uint64_t time = leaves * leaf_ns / 2;
  return {.program = "flat",
          .policy = "random",
          .machine = "box",
          .workers = 2,
          .blocks = {{"data", leaves * piece_bytes}},
          .regions = {{.name = "loop", .iterations = 1, .recorded = {{1, time, graph}}}}};
}

}  // namespace nearfork::tools::sample_files
