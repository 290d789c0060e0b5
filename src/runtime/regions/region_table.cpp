#include "runtime/regions/region_table.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "runtime/regions/profile_assembly.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

/// What the policy decided, and on what data.
std::vector<std::string> why_of(const region_record& record) {
  std::vector<std::string> lines = lines_of(record.course.in_force().why());
  if (std::string clocks = record.course.clocks().line(); !clocks.empty()) lines.push_back(std::move(clocks));
  if (record.costs) {
    lines.push_back("cost source: " + std::string(name_of(*record.costs)));
    if (!record.misses_not_counted.empty()) lines.back() += "; misses not counted: " + record.misses_not_counted;
  }
  if (!record.hotness.empty()) lines.push_back(record.hotness);
  if (record.untaught > 0)
    lines.push_back("iterations that taught nothing: " + std::to_string(record.untaught) +
                    "; the last: " + (record.why_untaught.empty() ? "no memory" : record.why_untaught));
  return lines;
}

region_report report_of(const std::string& name, const region_record& record) {
  return {.name = name,
          .iterations = record.course.iterations(),
          .plain = record.course.iterations() - record.course.profiled() - record.course.planned(),
          .profiled = record.course.profiled(),
          .planned = record.course.planned(),
          .cost_source = record.costs ? std::string(name_of(*record.costs)) : "",
          .misses_not_counted = record.misses_not_counted,
          .why = why_of(record),
          .input_bytes = record.course.facts().input_bytes,
          .placed_blocks = record.placed_blocks,
          .moved_bytes = record.moved_bytes,
          .moves_undone = record.data.undone()};
}

/// If the program has not said how large the region's data are, takes the size of its placed blocks.
void take_bytes_from_blocks(region_record& record, const region_data& blocks) {
  if (record.says_input_bytes || blocks.blocks == 0) return;
  record.placed_blocks = blocks.blocks;
  record.course.learn_input_bytes(blocks.bytes);
}

/// Under a settled plan one iteration of four tells whether the plan has outlived what it was made for: looking at
/// hundreds of workers takes some microseconds.
bool is_watched(const region_course& course) noexcept {
  constexpr std::uint64_t seldom = 4;
  return !course.in_force().standing().settled || course.iterations() % seldom == 0;
}

}  // namespace

region_table::region_table(const machine& where, const policy& how, std::size_t most_profiled, data_placing data,
                           iterations_in_progress& counted_in, const region_power& power, std::shared_ptr<hotness> heat)
    : machine_(where),
      policy_(how),
      most_profiled_(std::max<std::size_t>(1, most_profiled)),
      data_(std::move(data)),
      clock_{.source = detail::even_tick_source()},
      rate_(clock_.source),
      in_progress_(counted_in),
      power_(power),
      heat_(std::move(heat)) {}

region_record& region_table::find_or_add(const region_options& options) {
  const auto found = regions_.find(options.name);
  if (found != regions_.end()) return *found->second;
  const region_data blocks = options.input_bytes > 0 ? region_data{} : data_.data_of(options.name);
  auto made = std::make_unique<region_record>(
      region_record{.course = {machine_,
                               policy_,
                               {.name = options.name, .input_bytes = std::max(options.input_bytes, blocks.bytes)},
                               power_.search_rule()},
                    .says_input_bytes = options.input_bytes > 0,
                    .placed_blocks = blocks.blocks});
  return *regions_.emplace(options.name, std::move(made)).first->second;
}

bool region_table::knows(const std::string& region) const {
  const std::lock_guard lock(mutex_);
  return regions_.contains(region);
}

std::unique_ptr<region_iteration> region_table::enter(const region_options& options, std::uint64_t& number) {
  data_.count_iteration(options.name);
  in_progress_.any_so_far.store(true, seam::memory_order_relaxed);
  std::unique_ptr<region_iteration> made = begin(options, number);
  if (made == nullptr) return made;
  if (made->is_on_course) bring_data(*made, options.name);
  made->energy_before = read_mark(power_.meter);
  made->started_ns = now_ns();
  return made;
}

/// Called without mutex_: pages may take milliseconds to move, and other regions go on meanwhile.
void region_table::bring_data(region_iteration& iteration, const std::string& region) {
  try {
    iteration.moved = data_.bring(region, iteration.data);
    if (iteration.kind.profiling && heat_ != nullptr) watch_heat(iteration, region);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    count_in_progress(iteration, -1);
    give_up(iteration);
    throw;
  }
}

void region_table::watch_heat(region_iteration& iteration, const std::string& region) const {
  if (!heat_->is_wanted()) return;
  const data_layout data = data_.layout_for(region, iteration.record->course.in_force().data());
  if (!data.blocks.empty()) iteration.heat = std::make_unique<heat_watch>(heat_, data);
}

/// Ends an iteration that tells nothing.
void region_table::give_up(region_iteration& iteration) noexcept {
  iteration.record->course.abandon();
  if (data_.places()) end_data(iteration, std::nullopt);
}

void region_table::end_data(region_iteration& iteration, std::optional<std::uint64_t> duration_ns) {
  region_record& record = *iteration.record;
  const bool comparable = tells_of_data(iteration.kind, record.course.in_force());
  record.moved_bytes += iteration.moved.moved_bytes;
  record.data.end({.moved = iteration.moved.moved_bytes > 0,
                   .in_place = iteration.moved.in_place,
                   .duration_ns = comparable ? duration_ns : std::nullopt});
}

std::unique_ptr<region_iteration> region_table::begin(const region_options& options, std::uint64_t& number) {
  const std::lock_guard lock(mutex_);
  region_record& record = find_or_add(options);
  const std::optional<iteration_kind> begun = record.course.begin();
  number = record.course.iterations();
  if (!begun && power_.meter == nullptr) return nullptr;
  if (!begun) {
    auto made =
        std::unique_ptr<region_iteration>(new region_iteration{.record = &record, .kind = {}, .is_on_course = false});
    count_in_progress(*made, 1);
    return made;
  }
  try {
    auto made = std::unique_ptr<region_iteration>(new region_iteration{.record = &record, .kind = *begun});
    made->is_watched = is_watched(record.course);
    made->word = word_for<traces::iteration_word>(*begun, record.course.in_force());
    if (data_.places()) {
      const plan& in_force = record.course.in_force();
      const bool asks = in_force.data().moved_share > 0;  // else no iteration need look through all blocks for it
      made->data = record.data.begin(in_force, asks ? data_.data_of(options.name).bytes : 0);
    }
    count_in_progress(*made, 1);
    return made;
  } catch (...) {
    record.course.abandon();
    throw;
  }
}

void region_table::count_in_progress(const region_iteration& iteration, int step) noexcept {
  const auto by = static_cast<std::uint32_t>(step);
  if (iteration.kind.profiling) in_progress_.profiling.fetch_add(by, detail::seam::memory_order_relaxed);
  if (iteration.kind.planned) in_progress_.planned.fetch_add(by, detail::seam::memory_order_relaxed);
  if (power_.rule.goal == run_goal::time) return;
  if (step > 0) power_.clocks->begin_at(iteration.kind.clocks);
  else power_.clocks->end_at(iteration.kind.clocks);
}

/// Workers draw numbers ahead, so some numbers are left over: up to a 64th.
std::uint32_t region_table::room_for_profile() const noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, most_profiled_ + most_profiled_ / 32 + 1));
}

std::shared_ptr<detail::iteration_log> region_table::log_for_profile(std::uint32_t workers) const {
  return std::make_shared<detail::iteration_log>(workers, room_for_profile(), std::nullopt, clock_);
}

void region_table::leave(std::unique_ptr<region_iteration> iteration, bool complete, detail::noted_tasks* noted,
                         iteration_news* news) noexcept {
  const std::uint64_t duration_ns = now_ns() - iteration->started_ns;
  const energy_mark energy_after = read_mark(power_.meter);
  if (iteration->heat != nullptr) iteration->heat->stop();
  const std::lock_guard lock(mutex_);
  count_in_progress(*iteration, -1);
  region_record& record = *iteration->record;
  if (complete) record.energy.add(iteration->energy_before, energy_after, duration_ns);
  if (news != nullptr) news->watts = watts_of(iteration->energy_before, energy_after, duration_ns);
  if (!iteration->is_on_course) return;
  if (!complete) return give_up(*iteration);
  try {
    const std::string plan_before = news != nullptr ? one_line(record.course.in_force().why()) : "";
    learn(*iteration, {.duration_ns = duration_ns, .energy_nj = taken_nj(iteration->energy_before, energy_after)},
          noted);
    if (news == nullptr) return;
    news->plan = one_line(record.course.in_force().why());
    if (news->plan == plan_before) news->plan.clear();
  } catch (const std::exception& failed) {
    record.course.abandon();
    ++record.untaught;
    try {
      record.why_untaught = failed.what();
    } catch (const std::bad_alloc&) {
      record.why_untaught.clear();
    }
  }
}

void region_table::learn(region_iteration& iteration, iteration_outcome outcome, detail::noted_tasks* noted) {
  region_record& record = *iteration.record;
  if (data_.places()) end_data(iteration, outcome.duration_ns);
  take_bytes_from_blocks(record, data_.data_of(record.course.facts().name));
  outcome.steals_between_domains = iteration.watch.steals_between_domains();
  outcome.wanted_crossings = iteration.watch.wanted_crossings();
  outcome.wait_ns_of_domain = iteration.watch.wait_ns_of_domain();
  outcome.use_of_domain = iteration.watch.use_of_domain(outcome.duration_ns);
  outcome.moved_data = iteration.moved.moved_bytes > 0;
  outcome.strayed = iteration.strayed.load(detail::seam::memory_order_relaxed);
  if (iteration.kind.profiling) outcome.recorded = take_profile(iteration, outcome.duration_ns, *noted);
  record.course.end(iteration.kind, std::move(outcome));
}

std::optional<profile> region_table::take_profile(region_iteration& iteration, std::uint64_t duration_ns,
                                                  detail::noted_tasks& noted) const {
  region_record& record = *iteration.record;
  std::optional<assembled_profile> assembled =
      assemble_profile(noted, {.most_tasks = most_profiled_,
                               .input_bytes = record.course.facts().input_bytes,
                               .ns_per_tick = rate_.ns_per_tick()});
  if (!assembled) return std::nullopt;
  record.misses_not_counted = std::move(assembled->misses_not_counted);
  record.costs = assembled->made.source();
  const bool is_placed = data_.places() && data_.data_of(record.course.facts().name).blocks > 0;
  assembled->made.know_locality_by(is_placed ? locality_source::shares : locality_source::nothing);
  if (iteration.heat != nullptr) {
    assembled->made.take_gauging(iteration.heat->gauged(noted.log(), duration_ns));
    record.hotness = iteration.heat->line();
  }
  return std::move(assembled->made);
}

std::vector<region_report> region_table::report() const {
  const std::vector<std::string> measured = packages();
  const std::lock_guard lock(mutex_);
  std::vector<region_report> all;
  for (const auto& [name, record] : regions_) {
    all.push_back(report_of(name, *record));
    all.back().energy_iterations = record->energy.iterations;
    all.back().energy = energy_of(measured, record->energy.taken_uj, record->energy.time_ns);
  }
  return all;
}

}  // namespace nearfork
