#include <nearfork/run_report.hpp>

#include <cstdio>
#include <numeric>
#include <sstream>

#include <nearfork/error.hpp>

#include "base/output/output_file.hpp"
#include "base/text/message_text.hpp"
#include "runtime/reports/json_writer.hpp"
#include "runtime/reports/places_report.hpp"

namespace nearfork {
namespace {

constexpr std::uint64_t report_version = 1;

std::uint64_t all_steals(const run_report& report) {
  return std::accumulate(report.steals.begin(), report.steals.end(), std::uint64_t{0});
}

// --- text ---

std::string amount(std::uint64_t value, const char* unit, double one) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f %s", static_cast<double>(value) / one, unit);
  return text;
}

std::string duration(std::uint64_t value_ns) {
  if (value_ns < 10'000) return std::to_string(value_ns) + " ns";
  if (value_ns < 10'000'000) return amount(value_ns, "us", 1e3);
  return amount(value_ns, "ms", 1e6);
}

std::string size(std::uint64_t size_bytes) {
  if (size_bytes < 10'240) return std::to_string(size_bytes) + " bytes";
  if (size_bytes < (std::uint64_t{10} << 20)) return amount(size_bytes, "KiB", 1024);
  return amount(size_bytes, "MiB", 1024 * 1024);
}

void write_latency(std::ostream& out, const char* what, const latency_report& latency) {
  if (latency.count == 0) return;
  out << "  " << what << ": median " << duration(latency.median_ns) << ", p99 " << duration(latency.p99_ns)
      << ", highest " << duration(latency.highest_ns) << " (" << latency.count << " times)\n";
}

void write_worker(std::ostream& out, const worker_report& worker) {
  out << "  worker " << worker.index << ": domain " << worker.domain;
  if (worker.os_pu) out << ", bound to PU " << *worker.os_pu << " of the system";
  else out << ", not bound";
  if (!worker.pin_note.empty()) out << " (" << worker.pin_note << ')';
  if (worker.stalled_ns) out << ", stalled on memory for " << duration(*worker.stalled_ns);
  out << '\n';
}

void write_steals(std::ostream& out, const run_report& report) {
  out << "steals: " << all_steals(report);
  const char* separator = " (";
  for (std::size_t i = 0; i < steal_distances; ++i) {
    if (report.steals[i] == 0) continue;
    out << separator << name_of(static_cast<steal_distance>(i)) << ' ' << report.steals[i];
    separator = ", ";
  }
  out << (all_steals(report) == 0 ? "" : ")") << ", failed " << report.failed_steals << ", jobs shared by force "
      << report.forced;
  if (report.mugs > 0) out << ", tasks taken over from slower cores " << report.mugs;
  out << '\n';
  write_latency(out, "out of work to work again", report.steal_latency);
  out << "parks: " << report.parks << ", wake-ups " << report.wake_ups << '\n';
  write_latency(out, "notified to running", report.wake_latency);
}

void write_fibers(std::ostream& out, const run_report& report) {
  out << "fibers: " << report.fibers_made << " made, at most " << report.fibers_peak_live << " live, "
      << report.fibers_small_guard << " with a guard below 1 GiB, " << report.fibers_unguarded
      << " without guard; stacks " << size(report.peak_stack_bytes) << " at the peak\n"
      << "joins that waited: " << report.suspensions << " suspended, " << report.waits_in_place << " in place\n"
      << "tasks: " << report.publications << " publications, " << report.pool_tasks << " from pools, " << report.roots
      << " roots from outside, " << report.roots_on_callers << " of them begun by their callers\n";
}

std::string power_text(const package_energy& one) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f J, %.2f W", one.joules, one.watts);
  return one.package + " " + text;
}

void write_energy(std::ostream& out, const char* what, const std::vector<package_energy>& energy) {
  if (energy.empty()) return;
  out << what;
  const char* separator = ": ";
  for (const package_energy& one : energy) {
    out << separator << power_text(one);
    separator = "; ";
  }
  out << '\n';
}

/// Writes nothing if power is off.
void write_power(std::ostream& out, const power_report& power) {
  if (power.mode == "off") return;
  out << "power: " << power.mode << "; energy "
      << (power.energy_source.empty() ? "not measured" : "by " + power.energy_source);
  if (power.mode == "manage") out << "; " << power.clocks << " clocks, set " << power.clock_changes << " times";
  out << '\n';
  write_energy(out, "  energy of the whole run", power.energy);
  if (!power.energy_note.empty()) out << "  no energy: " << power.energy_note << '\n';
  for (const std::string& note : power.notes) out << "  " << note << '\n';
}

void write_region(std::ostream& out, const region_report& region) {
  out << "  region " << without_controls(region.name) << ": " << region.iterations << " iterations, " << region.plain
      << " plain, " << region.profiled << " profiled, " << region.planned << " planned\n";
  for (const std::string& line : region.why) out << "    " << line << '\n';
  if (region.input_bytes > 0) {
    out << "    input: " << size(region.input_bytes) << ", ";
    if (region.placed_blocks > 0) out << "of placed blocks: " << region.placed_blocks << '\n';
    else out << "as the program says\n";
  }
  if (region.moved_bytes > 0)
    out << "    memory moved to its tasks: " << size(region.moved_bytes) << ", undone " << region.moves_undone
        << " times\n";
  if (!region.energy.empty()) {
    const std::string what = "    energy of " + std::to_string(region.energy_iterations) + " iterations";
    write_energy(out, what.c_str(), region.energy);
  }
}

/// Writes nothing if the program uses no placed memory.
void write_memory(std::ostream& out, const memory_report& memory) {
  if (memory.blocks_made == 0) return;
  out << "placed memory: " << memory.blocks_made << " blocks made (" << memory.blocks_reused << " on kept pages), "
      << memory.blocks << " live with " << size(memory.bytes) << "; moved " << size(memory.moved_bytes)
      << ", not to be moved " << size(memory.stuck_bytes) << '\n';
  if (memory.malloc_blocks > 0)
    out << "  " << memory.malloc_blocks << " of these blocks are malloc's or operator new's, with "
        << size(memory.malloc_bytes) << '\n';
  if (memory.kept_bytes > 0) out << "  " << size(memory.kept_bytes) << " of freed blocks are kept for later ones\n";
  if (!memory.note.empty()) out << "  " << memory.note << '\n';
}

/// Writes nothing if all workers are beside one node, or no task had much data.
void write_dataflow(std::ostream& out, const dataflow_report& flow) {
  if (flow.push.empty() || flow.pushed + flow.stayed == 0) return;
  out << "dataflow: push " << flow.push << ", alloc " << flow.alloc << "; tasks with much data: " << flow.pushed
      << " pushed, " << flow.stayed << " stayed, " << flow.mailbox_full << " found a full mailbox, " << flow.robbed
      << " robbed (" << flow.robbed_far << " by another node)\n  data: " << size(flow.local_bytes) << " local, "
      << size(flow.remote_bytes) << " remote, " << size(flow.unknown_bytes) << " not known; at most "
      << flow.buffers_at_most << " buffers at a time\n";
  if (!flow.note.empty()) out << "  " << flow.note << '\n';
}

void write_degradation(std::ostream& out, const degradation& fact) {
  out << "  " << fact.what << ", " << fact.where << ": " << fact.why << "\n    to do: " << fact.remedy << '\n';
}

// --- JSON ---

void write_latency(json_writer& out, const char* name, const latency_report& latency) {
  out.begin_object(name);
  out.member("count", latency.count);
  out.member("median_ns", latency.median_ns);
  out.member("p99_ns", latency.p99_ns);
  out.member("highest_ns", latency.highest_ns);
  out.begin_array("buckets");
  for (const auto& bucket : latency.buckets) {
    out.begin_object();
    out.member("from_ns", bucket.from_ns);
    out.member("to_ns", bucket.to_ns);
    out.member("count", bucket.count);
    out.end();
  }
  out.end();
  out.end();
}

void write_workers(json_writer& out, const std::vector<worker_report>& workers) {
  out.begin_array("workers");
  for (const auto& worker : workers) {
    out.begin_object();
    out.member("index", worker.index);
    out.member("domain", worker.domain);
    out.member_or_null("os_pu", worker.os_pu);
    out.member("pin_note", worker.pin_note);
    out.member_or_null("stalled_ns", worker.stalled_ns);
    out.end();
  }
  out.end();
}

void write_steals(json_writer& out, const run_report& report) {
  out.begin_object("steals");
  for (std::size_t i = 0; i < steal_distances; ++i)
    out.member(name_of(static_cast<steal_distance>(i)), report.steals[i]);
  out.end();
  out.member("failed_steals", report.failed_steals);
  out.member("forced", report.forced);
  out.member("mugs", report.mugs);
  write_latency(out, "steal_latency", report.steal_latency);
  out.member("parks", report.parks);
  out.member("wake_ups", report.wake_ups);
  write_latency(out, "wake_latency", report.wake_latency);
}

void write_fibers(json_writer& out, const run_report& report) {
  out.begin_object("fibers");
  out.member("made", report.fibers_made);
  out.member("peak_live", report.fibers_peak_live);
  out.member("small_guard", report.fibers_small_guard);
  out.member("unguarded", report.fibers_unguarded);
  out.member("peak_stack_bytes", report.peak_stack_bytes);
  out.end();
  out.member("suspensions", report.suspensions);
  out.member("waits_in_place", report.waits_in_place);
  out.member("publications", report.publications);
  out.member("pool_tasks", report.pool_tasks);
  out.member("roots", report.roots);
  out.member("roots_on_callers", report.roots_on_callers);
}

void write_energy(json_writer& out, const std::vector<package_energy>& energy) {
  out.begin_array("energy");
  for (const package_energy& one : energy) {
    out.begin_object();
    out.member("package", one.package);
    out.member("joules", one.joules);
    out.member("watts", one.watts);
    out.end();
  }
  out.end();
}

void write_power(json_writer& out, const power_report& power) {
  out.begin_object("power");
  out.member("mode", power.mode);
  out.member_or_null("energy_source", power.energy_source);
  out.member("energy_note", power.energy_note);
  write_energy(out, power.energy);
  out.member("clocks", power.clocks);
  out.member("clock_changes", power.clock_changes);
  out.begin_array("notes");
  for (const std::string& note : power.notes) out.element(note);
  out.end();
  out.end();
}

void write_regions(json_writer& out, const std::vector<region_report>& regions) {
  out.begin_array("regions");
  for (const auto& region : regions) {
    out.begin_object();
    out.member("name", region.name);
    out.member("iterations", region.iterations);
    out.member("plain", region.plain);
    out.member("profiled", region.profiled);
    out.member("planned", region.planned);
    out.member_or_null("cost_source", region.cost_source);
    out.member("misses_not_counted", region.misses_not_counted);
    out.begin_array("why");
    for (const std::string& line : region.why) out.element(line);
    out.end();
    out.member("input_bytes", region.input_bytes);
    out.member("placed_blocks", region.placed_blocks);
    out.member("moved_bytes", region.moved_bytes);
    out.member("moves_undone", region.moves_undone);
    out.member("energy_iterations", region.energy_iterations);
    write_energy(out, region.energy);
    out.end();
  }
  out.end();
}

void write_memory(json_writer& out, const memory_report& memory) {
  out.begin_object("memory");
  out.member("blocks_made", memory.blocks_made);
  out.member("blocks_reused", memory.blocks_reused);
  out.member("kept_bytes", memory.kept_bytes);
  out.member("blocks", memory.blocks);
  out.member("bytes", memory.bytes);
  out.member("moved_bytes", memory.moved_bytes);
  out.member("stuck_bytes", memory.stuck_bytes);
  out.member("malloc_blocks", memory.malloc_blocks);
  out.member("malloc_bytes", memory.malloc_bytes);
  out.member("note", memory.note);
  out.end();
}

void write_dataflow(json_writer& out, const dataflow_report& flow) {
  out.begin_object("dataflow");
  out.member_or_null("push", flow.push);
  out.member_or_null("alloc", flow.alloc);
  out.member("pushed", flow.pushed);
  out.member("stayed", flow.stayed);
  out.member("mailbox_full", flow.mailbox_full);
  out.member("robbed", flow.robbed);
  out.member("robbed_far", flow.robbed_far);
  out.member("local_bytes", flow.local_bytes);
  out.member("remote_bytes", flow.remote_bytes);
  out.member("unknown_bytes", flow.unknown_bytes);
  out.member("buffers_at_most", flow.buffers_at_most);
  out.member("note", flow.note);
  out.end();
}

void write_stalls(json_writer& out, const stalls_report& stalls) {
  out.begin_object("stalls");
  out.member_or_null("event", stalls.event);
  out.member("note", stalls.note);
  out.member("remedy", stalls.remedy);
  out.end();
}

void write_degradations(json_writer& out, const std::vector<degradation>& degradations) {
  out.begin_array("degradations");
  for (const auto& fact : degradations) {
    out.begin_object();
    out.member("what", fact.what);
    out.member("where", fact.where);
    out.member("why", fact.why);
    out.member("remedy", fact.remedy);
    out.end();
  }
  out.end();
}

}  // namespace

std::string to_text(const run_report& report) {
  std::ostringstream out;
  out << "run report of " << report.name << '\n'
      << "policy: " << report.policy << " (" << report.policy_source << ")\n"
      << "machine: " << report.machine << " (" << report.machine_source << ")\n"
      << "workers: " << report.workers.size() << " in " << report.domains
      << (report.domains == 1 ? " domain" : " domains")
      << (report.domains_are_cores ? " (the policy takes each core for one)\n" : "\n");
  for (const auto& worker : report.workers) write_worker(out, worker);
  write_steals(out, report);
  write_fibers(out, report);
  out << "regions: " << report.regions.size() << '\n';
  for (const auto& region : report.regions) write_region(out, region);
  write_memory(out, report.memory);
  write_places(out, report.places);
  write_dataflow(out, report.dataflow);
  write_power(out, report.power);
  if (!report.stalls.note.empty())
    out << "stalls on memory are not counted: " << report.stalls.note << "; " << report.stalls.remedy << '\n';
  out << "degradations: " << (report.degradations.empty() ? "none" : std::to_string(report.degradations.size()))
      << '\n';
  for (const auto& fact : report.degradations) write_degradation(out, fact);
  return out.str();
}

std::string to_json(const run_report& report) {
  json_writer out;
  out.begin_object();
  out.member("version", report_version);
  out.member("name", report.name);
  out.member("policy", report.policy);
  out.member("policy_source", report.policy_source);
  out.member("machine", report.machine);
  out.member("machine_source", report.machine_source);
  out.member("domains", report.domains);
  out.member("domains_are_cores", report.domains_are_cores);
  write_workers(out, report.workers);
  write_steals(out, report);
  write_fibers(out, report);
  write_regions(out, report.regions);
  write_memory(out, report.memory);
  write_places(out, report.places);
  write_dataflow(out, report.dataflow);
  write_power(out, report.power);
  write_stalls(out, report.stalls);
  write_degradations(out, report.degradations);
  out.end();
  return out.text() + '\n';
}

void write_report(const run_report& report, const std::string& target) {
  if (target.empty()) return;
  if (target == "stderr") {
    std::fputs(to_text(report).c_str(), stderr);
    return;
  }
  try {
    output_file(target, "the run report, NEARFORK_REPORT")
        .write(target.ends_with(".json") ? to_json(report) : to_text(report));
  } catch (const error& failed) {
    std::fprintf(stderr, "%s; or set NEARFORK_REPORT to stderr\n", failed.what());
  }
}

}  // namespace nearfork
