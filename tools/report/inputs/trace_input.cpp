#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

#include <nearfork/error.hpp>

#include "base/text/number_text.hpp"
#include "tools/report/inputs/counter_marks.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/report/inputs/region_marks.hpp"
#include "tools/report/inputs/trace_packets.hpp"
#include "tools/report/number_words.hpp"
#include "trace/trace_event.hpp"

namespace nearfork::tools {
namespace {

/// The number after a word: 2 for "domain" in "domain 2 node 0 worker 5".
std::optional<std::uint32_t> number_after(std::string_view word, std::string_view text) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + word.size());
  const auto number = parse_number(rest.substr(0, rest.find(' ')), {0, 0xffffffff});
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

/// Texts, each once.
class text_numbers {
 public:
  explicit text_numbers(std::vector<std::string>& into) : into_(into) {}
  std::uint32_t number_of(std::string_view text) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(into_.size()));
    if (is_new) into_.emplace_back(text);
    return at->second;
  }

 private:
  std::vector<std::string>& into_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

class trace_view_maker {
 public:
  explicit trace_view_maker(report_view& into) : into_(into), line_(into.timeline.emplace()) {
    (void)notes_.number_of("");
  }

  void take(const trace_track& one) {
    if (one.is_process) return name_program(one.name);
    if (!one.is_thread) {
      if (const auto worker = number_after(traces::stalls_of_worker, one.name)) stalls_[one.number].worker = *worker;
      else counters_.name(one.number, one.name);
      return;
    }
    if (!tracks_.try_emplace(one.number, static_cast<std::uint32_t>(line_.tracks.size())).second) return;
    const std::uint32_t domain = number_after("domain ", one.name).value_or(0);
    line_.tracks.push_back({one.name, domain, number_after("node ", one.name)});
    open_.emplace_back();
    busy_.emplace_back();
  }

  void take(const trace_packet& one) {
    if (one.kind == packet_event::counter) {
      if (const auto stalls = stalls_.find(one.track); stalls != stalls_.end()) stalls->second.ns = one.value;
      else counters_.add(one.track, one.at_ns, one.value);
      return;
    }
    const auto found = tracks_.find(one.track);
    if (found == tracks_.end()) return;
    if (!first_ns_) first_ns_ = one.at_ns;
    const std::uint64_t at = one.at_ns < *first_ns_ ? 0 : one.at_ns - *first_ns_;
    line_.length_ns = std::max(line_.length_ns, at);
    switch (one.kind) {
      case packet_event::slice_begins: begin(one, found->second, at); break;
      case packet_event::slice_ends: end(one, found->second, at); break;
      case packet_event::instant: add_instant(one, found->second, at); break;
      case packet_event::counter: break;
    }
  }

  [[nodiscard]] bool has_workers() const noexcept { return !line_.tracks.empty(); }

  void finish() {
    for (std::uint32_t track = 0; track < open_.size(); ++track)
      while (!open_[track].empty()) close(track, line_.length_ns);
    std::ranges::sort(line_.slices, {}, [](const timeline_view::slice& one) {
      return std::tuple(one.track, one.begin_ns, one.depth, one.length_ns);
    });
    std::ranges::stable_sort(line_.instants, {},
                             [](const timeline_view::instant& one) { return std::pair(one.track, one.at_ns); });
    into_.workers = line_.tracks.size();
    for (const timeline_view::track& one : line_.tracks)
      into_.domains = std::max<std::uint64_t>(into_.domains, std::uint64_t{one.domain} + 1);
    add_times();
    add_stalls();
    add_region_times();
    add_steals();
    into_.courses = regions_.courses();
    into_.counters = counters_.views(first_ns_.value_or(0));
  }

 private:
  struct open_slice {
    timeline_view::slice what;
    bool is_parked = false;
    std::optional<region_marks::iteration_name> iteration{};
  };
  struct times {
    std::uint64_t work_ns = 0;
    std::uint64_t parked_ns = 0;
  };

  /// The simulator's traces say so (tools/sim/campaign.cpp).
  void name_program(const std::string& name) {
    if (name.empty()) return;
    into_.simulated = name.starts_with("simulated ");
    into_.facts.push_back({"program", name});
  }

  /// A small packet may refer to long texts, as often as it likes.
  static constexpr std::size_t longest_note = 1000;
  static std::string note_of(const trace_packet& one, std::string note = {}) {
    for (const auto& [name, text] : one.facts)
      if (note.size() < longest_note)
        note += fmt::format("{}{}: {}", note.empty() ? "" : "; ", name.substr(0, longest_note),
                            text.substr(0, longest_note));
    return note;
  }
  static std::string_view fact_of(const trace_packet& one, std::string_view name) {
    for (const auto& [known, text] : one.facts)
      if (known == name) return text;
    return {};
  }

  void begin(const trace_packet& one, std::uint32_t track, std::uint64_t at) {
    std::string note;
    if (const auto why = origins_.find(one.last_of_flow); one.last_of_flow != 0 && why != origins_.end()) {
      note = why->second;
      origins_.erase(why);
    }
    auto& stack = open_[track];
    open_slice made{.what = {.begin_ns = at,
                             .track = track,
                             .name = names_.number_of(one.name),
                             .note = notes_.number_of(note_of(one, std::move(note))),
                             .depth = static_cast<std::uint16_t>(std::min<std::size_t>(stack.size(), 0xffff))},
                    .is_parked = one.name == "parked"};
    if (one.name.starts_with("region "))
      made.iteration = regions_.begin({.name = one.name,
                                       .number = fact_of(one, "iteration"),
                                       .kind = fact_of(one, "kind"),
                                       .goes_on = !fact_of(one, "goes on").empty()},
                                      at);
    stack.push_back(made);
  }

  void end(const trace_packet& one, std::uint32_t track, std::uint64_t at) {
    auto& stack = open_[track];
    if (stack.empty()) return;
    if (!one.facts.empty())
      stack.back().what.note = notes_.number_of(note_of(one, line_.notes[stack.back().what.note]));
    close(track, at, fact_of(one, "ended"));
  }

  void close(std::uint32_t track, std::uint64_t at, std::string_view how = {}) {
    open_slice& last = open_[track].back();
    last.what.length_ns = at < last.what.begin_ns ? 0 : at - last.what.begin_ns;
    if (last.is_parked) busy_[track].parked_ns += last.what.length_ns;
    else if (last.what.depth == 0) busy_[track].work_ns += last.what.length_ns;
    if (last.iteration) regions_.end(*last.iteration, at, how);
    line_.slices.push_back(last.what);
    open_[track].pop_back();
  }

  void add_instant(const trace_packet& one, std::uint32_t track, std::uint64_t at) {
    line_.instants.push_back({at, track, names_.number_of(one.name), notes_.number_of(note_of(one))});
    if (one.name == "steal") {
      const auto victim = parse_number(fact_of(one, "from worker"), {0, 0xffffffff});
      if (victim) ++steals_[{track, static_cast<std::uint32_t>(*victim)}];
      remember(one, fmt::format("stolen from worker {} (distance {})", fact_of(one, "from worker"),
                                fact_of(one, "distance")));
    } else if (one.name == "sends a task") {
      remember(one, fmt::format("sent by {} to domain {}, as the plan says", line_.tracks[track].name,
                                fact_of(one, "to domain")));
    } else if (one.name == "plan changes") {
      regions_.changed(fact_of(one, "region"), std::string(fact_of(one, "why")));
    } else if (one.name == "pages move") {
      if (const auto bytes = parse_number(fact_of(one, "bytes"), any_number))
        regions_.changed(fact_of(one, "region"), bytes_words(static_cast<double>(*bytes)) + " of pages moved");
    }
  }
  void remember(const trace_packet& one, const std::string& origin) {
    for (const std::uint64_t flow : one.flows) origins_[flow] = origin;
  }

  /// By track: work while an iteration of a region ran. Slices are in order.
  [[nodiscard]] std::vector<std::uint64_t> work_in(const std::vector<region_marks::window>& windows) const {
    std::vector<std::uint64_t> made(line_.tracks.size(), 0);
    for (const timeline_view::slice& one : line_.slices) {
      if (one.depth != 0 || line_.names[one.name] == "parked") continue;
      const std::uint64_t end = one.begin_ns + one.length_ns;
      for (auto at = std::ranges::upper_bound(windows, one.begin_ns, {}, &region_marks::window::end_ns);
           at != windows.end() && at->begin_ns < end; ++at)
        made[one.track] += std::min(end, at->end_ns) - std::max(one.begin_ns, at->begin_ns);
    }
    return made;
  }

  void add_region_times() {
    const std::vector<region_marks::window> windows = regions_.windows();
    if (windows.empty()) return;
    std::uint64_t all = 0;
    for (const region_marks::window& one : windows) all += one.end_ns - one.begin_ns;
    const std::vector<std::uint64_t> work = work_in(windows);
    for (std::size_t i = 0; i < work.size(); ++i) {
      into_.worker_times[i].region_work_ns = static_cast<double>(work[i]);
      into_.worker_times[i].region_ns = static_cast<double>(all);
    }
  }

  void add_times() {
    for (std::size_t i = 0; i < line_.tracks.size(); ++i) {
      const auto work = static_cast<double>(busy_[i].work_ns);
      const auto parked = static_cast<double>(busy_[i].parked_ns);
      into_.worker_times.push_back({.name = line_.tracks[i].name,
                                    .domain = line_.tracks[i].domain,
                                    .work_ns = work,
                                    .search_ns = std::max(0.0, static_cast<double>(line_.length_ns) - work - parked),
                                    .parked_ns = parked});
    }
  }

  /// What the workers' threads counted last: a part of their work.
  void add_stalls() {
    for (const auto& [track, one] : stalls_) {
      if (one.worker >= into_.worker_times.size() || !one.ns || !(*one.ns >= 0)) continue;
      worker_time_view& of = into_.worker_times[one.worker];
      of.stall_ns = std::min(*one.ns, of.work_ns);
    }
  }

  /// Between workers, and between domains if there are several.
  void add_steals() {
    if (steals_.empty()) return;
    constexpr std::size_t most_rows = 64;
    if (line_.tracks.size() <= most_rows)
      add_matrix("worker", line_.tracks.size(), [](std::uint32_t worker) { return worker; });
    if (into_.domains > 1 && into_.domains <= most_rows)
      add_matrix("domain", static_cast<std::size_t>(into_.domains),
                 [this](std::uint32_t worker) { return line_.tracks[worker].domain; });
  }

  template <class Place>
  void add_matrix(const char* what, std::size_t size, const Place& place) {
    matrix_view made{.title = fmt::format("Steals between {}s", what),
                     .row_is = "thief",
                     .column_is = "victim",
                     .rows = {},
                     .columns = {},
                     .cells = std::vector(size, std::vector<double>(size, 0))};
    for (std::size_t i = 0; i < size; ++i) made.rows.push_back(fmt::format("{} {}", what, i));
    made.columns = made.rows;
    for (const auto& [pair, count] : steals_)
      if (pair.second < line_.tracks.size())
        made.cells[place(pair.first)][place(pair.second)] += static_cast<double>(count);
    into_.matrices.push_back(std::move(made));
  }

  struct counted_stalls {
    std::uint32_t worker = 0;
    std::optional<double> ns{};  // nullopt: no value came
  };

  report_view& into_;
  timeline_view& line_;
  text_numbers names_{line_.names};
  text_numbers notes_{line_.notes};
  std::unordered_map<std::uint64_t, std::uint32_t> tracks_;                  // of the trace: the place here
  std::vector<std::vector<open_slice>> open_;                                // by track, innermost last
  std::vector<times> busy_;                                                  // by track
  std::unordered_map<std::uint64_t, std::string> origins_;                   // by flow
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> steals_;  // thief and victim
  std::unordered_map<std::uint64_t, counted_stalls> stalls_;                 // by track
  counter_marks counters_{};
  region_marks regions_;
  std::optional<std::uint64_t> first_ns_;
};

}  // namespace

std::vector<report_view> views_of_trace(std::string_view content, const std::string& file) {
  std::deque<report_view> views;  // the makers keep references
  std::deque<trace_view_maker> makers;
  const auto maker = [&](bool of_another_process) -> trace_view_maker& {
    if (makers.empty() || (of_another_process && makers.back().has_workers()))
      makers.emplace_back(views.emplace_back(report_view{.file = file, .kind = "trace"}));
    return makers.back();
  };
  read_packets(
      content, file, [&](const trace_track& one) { maker(one.is_process).take(one); },
      [&](const trace_packet& one) { maker(false).take(one); });
  if (makers.empty() || !makers.back().has_workers())
    throw error("nearfork: trace " + file + " has no worker of nearfork; trace the program with nearfork trace -o " +
                "t.pftrace -- PROGRAM");
  for (trace_view_maker& one : makers) one.finish();
  if (views.size() > 1)
    for (report_view& one : views)
      if (!one.facts.empty()) one.file += ": " + one.facts.front().text;
  return {std::make_move_iterator(views.begin()), std::make_move_iterator(views.end())};
}

}  // namespace nearfork::tools
