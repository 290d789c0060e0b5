#include "runtime/recording/graph_recorder.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/recording.hpp>

#include "base/monotonic_clock.hpp"
#include "memory/system/region_memory.hpp"
#include "recording/graph_code.hpp"
#include "recording/recording_file.hpp"
#include "runtime/recording/data_names.hpp"
#include "runtime/recording/graph_assembly.hpp"

namespace nearfork {

constinit detail::seam::atomic<std::uint32_t> detail::recording_runtimes{1};

void detail::know_first_recorder() noexcept {
  static constinit seam::atomic<bool> known{false};
  if (!known.exchange(true, seam::memory_order_relaxed))  // it decides by itself who subtracts
    recording_runtimes.fetch_sub(1, seam::memory_order_relaxed);
}

namespace {

/// While accesses have addresses for places: one block that holds all addresses.
const recordings::data_block all_addresses[] = {{"addresses", ~std::uint64_t{0}}};

recordings::array_placing placing_of(placing::rule how) {
  using recordings::array_placing;
  switch (how) {
    case placing::rule::follow_plan: return array_placing::follows_plan;
    case placing::rule::interleaved: return array_placing::interleaved;
    case placing::rule::interleaved_by_bandwidth: return array_placing::interleaved_by_bandwidth;
    case placing::rule::by_bandwidth: return array_placing::by_bandwidth;
    case placing::rule::by_capacity: return array_placing::by_capacity;
    case placing::rule::interleaved_by_weights:
    case placing::rule::by_weights:
    case placing::rule::bound:
    case placing::rule::hbm_only:
    case placing::rule::preferred: break;  // they name nodes of this machine
  }
  return array_placing::otherwise;
}

std::string by_block(std::string_view code, const block_layout& layout) {
  return recordings::with_accesses_at(code, all_addresses,
                                      [&](const recordings::data_access& one) { return layout.placed(one); });
}

}  // namespace

graph_recorder::graph_recorder(const config& settings, std::uint32_t workers, calibration calibrate)
    : settings_(settings),
      keeps_(!settings.record.empty()),
      workers_(workers),
      clock_{.source = detail::even_tick_source()},
      calibrate_(calibrate),
      rate_(clock_.source) {
  detail::recording_runtimes.fetch_add(1, detail::seam::memory_order_relaxed);
}

graph_recorder::~graph_recorder() {
  detail::recording_runtimes.fetch_sub(1, detail::seam::memory_order_relaxed);
}

/// By default records the second iteration, whose times include no first touch of a page; the first if there is no
/// second.
std::shared_ptr<detail::iteration_log> graph_recorder::begin(const std::string& region, std::uint64_t input_bytes,
                                                             detail::recorded_root_kind kind,
                                                             std::uint32_t also_room_for) {
  constexpr std::uint64_t iterations_worth_one = 2;
  const std::lock_guard lock(mutex_);
  region_record& record = regions_[region];
  record.input_bytes = input_bytes;
  ++record.iterations;
  if (record.iterations == 1) record.began = ++firsts_;
  const bool all = settings_.record_iterations == recorded_iterations::all || !keeps_;
  if (!all && record.iterations > iterations_worth_one) return nullptr;
  if (tasks_kept_ >= settings_.record_tasks) {
    ++left_out_;
    return nullptr;
  }
  const auto room = static_cast<std::uint32_t>(settings_.record_tasks - tasks_kept_);
  if (!std::exchange(clock_is_calibrated_, true)) calibrate_(clock_, detail::this_fiber());
  return log_of(std::max(room, also_room_for), kind, record.iterations);
}

std::shared_ptr<detail::iteration_log> graph_recorder::log_of(std::uint32_t room, detail::recorded_root_kind kind,
                                                              std::uint64_t number) const {
  // The names begin first and end last. A log is a base: tasks ask it for shares of itself.
  struct named_log : private names_of_iteration, public detail::iteration_log {
    named_log(std::uint32_t workers, std::uint32_t room_for, detail::recorded_root root,
              const detail::recording_clock& clock)
        : iteration_log(workers, room_for, detail::recorded_root{root.kind, root.number, began()}, clock) {}
  };
  return std::make_shared<named_log>(workers_ + 1, room, detail::recorded_root{.kind = kind, .number = number}, clock_);
}

void graph_recorder::end(const std::string& region, detail::noted_tasks& noted, iteration_end how) noexcept {
  if (!keeps_) return;
  const std::lock_guard lock(mutex_);
  region_record& record = regions_.find(region)->second;
  if (record.ended == 0) record.ended = ++firsts_;
  // A run() that forks nothing has no graph: most often it is the main loop around regions.
  const detail::iteration_log& log = noted.log();
  if (log.recorded().kind == detail::recorded_root_kind::run && log.tasks() == 1) return;
  if (!how.complete || !log.whole() || tasks_kept_ + log.tasks() > settings_.record_tasks) {
    ++left_out_;
    return;
  }
  try {
    keep(record, noted, how.ended_ns - log.started_ns());
  } catch (const std::exception&) {  // no memory
    ++left_out_;
  }
}

void graph_recorder::keep(region_record& region, detail::noted_tasks& noted, std::uint64_t duration_ns) {
  for_each_name_since(noted.log().recorded().names_since,
                      [this](const named_data& one) { data_.name(one.begin, one.bytes, one.name); });
  if (const region_memory* const memory = used_memory.blocks.load(seam::memory_order_acquire))
    for (const living_block& one : memory->living())
      data_.allocate({.begin = one.begin, .bytes = one.bytes, .number = one.number, .how = placing_of(one.how)});
  assembled_graph graph =
      assemble(noted, rate_.ns_per_tick(), [this](const recordings::data_access& one) { data_.add(one); });
  const bool replaces = settings_.record_iterations == recorded_iterations::one && !region.kept.empty();
  recordings::recording_sums sums = sums_kept_;
  if (replaces) sums -= region.kept.front().sums;
  const recordings::recording_sums own{
      .duration_ns = duration_ns, .work_ns = graph.work_ns, .touched_bytes = graph.touched_bytes};
  if (!sums.add(own)) {  // no reader would accept the file
    ++left_out_;
    return;
  }
  sums_kept_ = sums;
  if (replaces) {
    tasks_kept_ -= region.kept.front().tasks;
    region.kept.clear();
  }
  region.kept.push_back(
      {noted.log().recorded().number, own, graph.tasks, graph.accesses, std::move(graph.code), std::move(graph.flow)});
  tasks_kept_ += graph.tasks;
}

std::uint64_t graph_recorder::place_for_buffer(std::uint64_t bytes, const call_site& where) {
  const std::lock_guard lock(mutex_);
  return data_.name_buffer(bytes, "buffer of " + text_of(where));
}

std::uint64_t graph_recorder::left_out() const {
  const std::lock_guard lock(mutex_);
  return left_out_;
}

/// Of the regions that have recorded iterations, ascending.
std::vector<std::uint64_t> graph_recorder::firsts_of_kept() const {
  std::vector<std::uint64_t> made;
  for (const auto& [name, record] : regions_)
    if (!record.kept.empty()) made.insert(made.end(), {record.began, record.ended});
  std::ranges::sort(made);
  return made;
}

std::string graph_recorder::file(std::string machine_line) const {
  const std::lock_guard lock(mutex_);
  const block_layout layout = data_.layout();
  recordings::recording_encoder file(
      {.program = settings_.name,
       .policy = settings_.policy,
       .machine = std::move(machine_line) + "; times by " + line_of(clock_, rate_.ns_per_tick()),
       .workers = workers_,
       .left_out = left_out_,
       .blocks = layout.blocks(),
       .regions = {},
       .allocations = layout.allocations(),
       .buffers = layout.buffers()});
  const std::vector<std::uint64_t> firsts = firsts_of_kept();
  const auto place = [&](std::uint64_t first) -> std::uint64_t {
    if (firsts.size() < 4) return 0;  // one region has no order
    return static_cast<std::uint64_t>(std::ranges::lower_bound(firsts, first) - firsts.begin()) + 1;
  };
  for (const auto& [name, record] : regions_) {
    if (record.kept.empty()) continue;
    file.add_region({.name = name,
                     .input_bytes = std::min(record.input_bytes, recordings::number_limit),
                     .iterations = record.iterations,
                     .recorded = {},
                     .began = place(record.began),
                     .ended = place(record.ended)},
                    record.kept.size());
    for (const kept_iteration& one : record.kept)
      file.add_iteration(one.number, one.sums.duration_ns, one.accesses == 0 ? one.code : by_block(one.code, layout),
                         one.flow);
  }
  return file.take();
}

std::string text_of(const call_site& where) {
  const std::string file = std::filesystem::path(where.file).filename().string();
  return where.line == 0 ? file : file + ":" + std::to_string(where.line);
}

}  // namespace nearfork
