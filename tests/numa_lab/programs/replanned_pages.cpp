// When the shares of a region change, do exactly those pages move whose node changes, as many at a time as allowed?
// Does the report count them right? Compares from outside where every page lay before and after each iteration.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <numeric>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "memory/placed/placed_memory.hpp"
#include "numa_lab/given_borders.hpp"
#include "numa_lab/placed_heat.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t rows_per_domain = 32;
/// The number of iterations that moving everything takes.
constexpr unsigned steps_of_all = 8;
/// A changed plan must stay for some iterations before data follow it.
constexpr unsigned most_iterations = 60;

struct moved_so_far {
  std::uint64_t by_memory;
  std::uint64_t by_region;
};

moved_so_far reported(const runtime& on) {
  const run_report report = on.report();
  return {report.memory.moved_bytes, report.regions.empty() ? 0 : report.regions.front().moved_bytes};
}

/// Watches one iteration. Returns how many pages it moved.
std::size_t watch_iteration(runtime& on, placed_heat& heat, const std::vector<unsigned>& planned,
                            std::uint64_t most_bytes, verdict& result) {
  const std::vector<page_node> before = heat.pages();
  const moved_so_far said_before = reported(on);
  heat.iterate(on);
  const std::vector<page_node> after = heat.pages();
  const moved_so_far said = reported(on);
  std::size_t moved = 0;
  // The grids have changed places.
  const bool swapped = heat.iterations() > 1;
  const std::size_t half = before.size() / 2;
  for (std::size_t page = 0; page < before.size(); ++page) {
    const page_node was = before[swapped ? (page + half) % before.size() : page];
    if (was == after[page]) continue;
    ++moved;
    if (after[page] != planned[page])
      result.fault("page {} went from node {} to node {}, and is planned on {}", page, was.value_or(99),
                   after[page].value_or(99), planned[page]);
  }
  const std::uint64_t moved_bytes = moved * page_bytes();
  if (moved_bytes > most_bytes)
    result.fault("{} bytes moved in one iteration that may move {}", moved_bytes, most_bytes);
  if (said.by_memory - said_before.by_memory != moved_bytes || said.by_region - said_before.by_region != moved_bytes)
    result.fault("{} bytes moved, and the report counts {} of the process, {} of the region", moved_bytes,
                 said.by_memory - said_before.by_memory, said.by_region - said_before.by_region);
  return moved;
}

/// Iterates until nothing has moved for some time.
void watch_until_quiet(const char* what, runtime& on, placed_heat& heat, const std::vector<unsigned>& planned,
                       std::uint64_t most_bytes, verdict& result) {
  const std::size_t to_move = heat.pages().size() - pages_as_planned(heat.pages(), planned);
  const auto in_place = [&] { return pages_as_planned(heat.pages(), planned) == planned.size(); };
  std::size_t moved = 0;
  unsigned steps = 0;
  for (unsigned i = 0; i < most_iterations && !in_place(); ++i) {
    const std::size_t now = watch_iteration(on, heat, planned, most_bytes, result);
    moved += now;
    steps += now > 0 ? 1 : 0;
  }
  moved += watch_iteration(on, heat, planned, most_bytes, result);  // one more iteration, which has nothing to do
  const std::size_t right = pages_as_planned(heat.pages(), planned);
  if (right != planned.size()) result.fault("{}: {} of {} pages lie as planned", what, right, planned.size());
  if (moved != to_move) result.fault("{}: {} pages moved, and {} lay elsewhere", what, moved, to_move);
  if (to_move == 0) result.fault("{}: nothing was to move, so nothing was checked", what);
  fmt::print("{} {} of {} pages in {} steps; ", what, moved, planned.size(), steps);
}

share_weights weights_rising(unsigned domains) {
  share_weights weights(domains);
  std::iota(weights.begin(), weights.end(), 1.0);
  return weights;
}

int run() {
  verdict result;
  config settings = config::from_environment();
  const unsigned domains = static_cast<unsigned>(live_machine()->domains().size());
  placed_heat heat(rows_per_domain * domains);
  heat.touch_here();
  settings.move_bytes = heat.pages().size() / steps_of_all * page_bytes();

  const share_list even = borders_of(share_weights(domains, 1));
  share_weights weights = weights_rising(domains);
  const share_list rising = borders_of(weights);
  std::ranges::reverse(weights);
  const share_list falling = borders_of(weights);
  {
    settings.policy = "laws";
    runtime rt(settings);
    const auto nodes = first_touch_nodes(rt);
    watch_until_quiet("laws moved", rt, heat, planned_nodes(heat, even, nodes), settings.move_bytes, result);
  }
  const auto borders = std::make_shared<std::atomic<const share_list*>>(&rising);
  runtime rt(settings, scheduler_with(settings, borders));
  const auto nodes = first_touch_nodes(rt);
  watch_until_quiet("rising shares", rt, heat, planned_nodes(heat, rising, nodes), settings.move_bytes, result);
  const std::vector<page_node> before = heat.pages();
  borders->store(&falling);
  watch_until_quiet("falling ones", rt, heat, planned_nodes(heat, falling, nodes), settings.move_bytes, result);

  const move_outcome back = process_memory().take_back(placed_heat::region_name, std::uint64_t{1} << 40);
  std::vector<unsigned> rising_nodes = planned_nodes(heat, rising, nodes);
  const std::size_t right = pages_as_planned(heat.pages(), rising_nodes);
  if (right != rising_nodes.size() || !back.in_place)
    result.fault("taken back, {} of {} pages lie as they did before", right, rising_nodes.size());
  fmt::print("taken back {}\n", back.moved_bytes / page_bytes());
  heat.check_answer(result);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main() {
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(); });
}
