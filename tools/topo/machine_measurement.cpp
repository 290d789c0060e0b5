#include "tools/topo/machine_measurement.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace nearfork::tools {
namespace {

constexpr std::uint64_t least_memory = std::uint64_t{64} << 20;
constexpr std::uint64_t most_memory = std::uint64_t{512} << 20;
constexpr double most_at_once = 1024;
constexpr std::uint64_t least_swept = std::uint64_t{128} << 10;  // shorter sweeps measure the ends of loops
constexpr int looks = 5;

/// Far more than every cache, so that hits in caches hardly count.
std::uint64_t memory_to_walk(const machine& where) {
  std::uint64_t largest = 0;
  for (const domain& one : where.domains())
    for (const cache_level& cache : one.caches) largest = std::max(largest, cache.size_bytes);
  return std::clamp(4 * largest, least_memory, most_memory);
}

/// The caches around this core, innermost first; if it is not known which it has, for each level the smallest sort.
std::vector<cache_level> levels_around(const machine& where, const core& one) {
  if (!one.caches.empty()) return one.caches;
  std::vector<cache_level> levels;
  for (const cache_level& cache : where.at(one.domain).caches) {
    if (levels.empty() || levels.back().level != cache.level) levels.push_back(cache);
    else if (cache.size_bytes < levels.back().size_bytes) levels.back() = cache;
  }
  return levels;
}

/// Half of a core's own cache. Other cores, and other guests of the machine, use a shared cache at the same time: so a
/// small part of it, but far more than the level before, in which `before` bytes were walked through.
std::uint64_t bytes_to_walk(const cache_level& cache, std::uint64_t before) {
  if (cache.shared_by_cores < 2) return cache.size_bytes / 2;
  return std::min(cache.size_bytes / 2, std::max(cache.size_bytes / 8, 6 * before));
}

/// Of several looks: other users of a shared cache or of memory, and pages that lie badly, only make a reading worse.
template <class Look, class Better>
[[nodiscard]] reading best(const Look& look, const Better& better) {
  reading found = look();
  for (int i = 1; i < looks && found.value; ++i)
    if (const reading again = look(); again.value) found.value = better(*found.value, *again.value);
  return found;
}
template <class Look>
[[nodiscard]] reading least(const Look& look) {
  return best(look, [](double a, double b) { return std::min(a, b); });
}
template <class Look>
[[nodiscard]] reading greatest(const Look& look) {
  return best(look, [](double a, double b) { return std::max(a, b); });
}

/// One for each level, and one more for each shared level.
std::size_t looks_at(const std::vector<cache_level>& levels) {
  const auto shared = std::ranges::count_if(levels, [](const cache_level& one) { return one.shared_by_cores > 1; });
  return levels.size() + static_cast<std::size_t>(shared);
}

std::optional<core> first_of_kind(const machine& where, unsigned kind) {
  const auto found = std::ranges::find(where.cores(), kind, &core::kind);
  return found == where.cores().end() ? std::nullopt : std::optional(*found);
}

os_index pu_of(const machine& where, const core& one) {
  return where.at(one.pus.front()).os;
}

std::uint32_t nodes_of(const machine& where) {
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, where.nodes().size()));
}

/// The node that memory is bound to. With a single node the system has no choice, and some systems forbid binding.
std::optional<os_index> node_to_bind(const machine& where, std::uint32_t node) {
  return where.nodes().size() < 2 ? std::nullopt : std::optional(where.nodes()[node].os);
}

struct pu_pair {
  os_index one{};
  os_index other{};
};

/// One pair of PUs for each distance: from the first PU on, of different cores if there are any.
std::array<std::optional<pu_pair>, steal_distances> pairs_by_distance(const machine& where) {
  std::array<std::optional<pu_pair>, steal_distances> found{};
  for (std::uint32_t p = 1; p < where.pus().size(); ++p) {
    auto& place = found[static_cast<std::size_t>(where.distance(pu_id{0}, pu_id{p}))];
    if (!place) place = pu_pair{where.pus()[0].os, where.pus()[p].os};
  }
  return found;
}

class measuring {
 public:
  measuring(const machine& where, measured_hardware& hardware, const measuring_progress& progress)
      : where_(where), hardware_(hardware), progress_(progress), all_(readings_of(where)) {}

  machine_measurement run() {
    seen_.memory_bytes = memory_to_walk(where_);
    for (unsigned kind = 0; kind < where_.core_kinds().size(); ++kind)
      if (const auto one = first_of_kind(where_, kind)) measure_kind(where_.core_kinds()[kind].name, *one);
    for (std::uint32_t d = 0; d < where_.domains().size(); ++d)
      for (std::uint32_t node = 0; node < nodes_of(where_); ++node) measure_pair(domain_id{d}, node);
    const auto pairs = pairs_by_distance(where_);
    for (std::size_t d = 0; d < pairs.size(); ++d)
      if (pairs[d]) measure_handover(static_cast<steal_distance>(d), *pairs[d]);
    return std::move(seen_);
  }

 private:
  void next(const std::string& what) { progress_(done_++, all_, what); }

  void measure_kind(const std::string& name, const core& one) {
    measured_kind made{.name = name};
    const os_index pu = pu_of(where_, one);
    next("the clock of " + name);
    made.clocks = hardware_.clocks(pu);
    made.clock_ghz = agreed_clock(made.clocks);
    std::uint64_t near = least_swept;
    for (const cache_level& cache : levels_around(where_, one)) {
      next("L" + std::to_string(cache.level) + " of " + name);
      const std::uint64_t bytes = bytes_to_walk(cache, made.levels.empty() ? 0 : made.levels.back().bytes);
      made.levels.push_back({cache.level, bytes, walk_ns(pu, {.bytes = bytes}), {0, {}}});
      if (cache.shared_by_cores < 2) near = std::max(near, bytes);
    }
    measure_computing(made, pu, near);
    measure_sweeps(made, one, near);
    seen_.kinds.push_back(std::move(made));
  }

  /// Also in a core's own cache: half of it in pages that lie badly does not fit. 512 KiB of 1 MiB took 4.8 to 6.3 ns.
  [[nodiscard]] reading walk_ns(os_index pu, memory_of memory) {
    return least([&] { return hardware_.load_ns(pu, memory); });
  }

  /// `near`: the size of the core's own outermost cache. Programs seldom sweep over data in the first one.
  void measure_computing(measured_kind& made, os_index pu, std::uint64_t near) {
    next("operations of " + made.name);
    made.operations_per_ns = greatest([&] { return hardware_.operations_per_ns(pu, near, loop_kind::scalar); });
    next("operations in vectors of " + made.name);
    made.vector_operations_per_ns = greatest([&] { return hardware_.operations_per_ns(pu, near, loop_kind::vector); });
    next("wrong guesses of " + made.name);
    made.wrong_guess_ns = hardware_.wrong_guess_ns(pu);
    next("misses at once of " + made.name);
    made.misses_at_once = misses_at_once(pu, near);
    next("scattered misses at once of " + made.name);
    made.scattered_at_once = scattered_at_once(pu);
  }

  /// Uses half of each cache that others use, too.
  void measure_sweeps(measured_kind& made, const core& one, std::uint64_t near_bytes) {
    const std::vector<cache_level> levels = levels_around(where_, one);
    const os_index pu = pu_of(where_, one);
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (levels[i].shared_by_cores > 1) {
        next("sweeps over L" + std::to_string(levels[i].level) + " of " + made.name);
        made.levels[i].sweep_ns = more_in_sweep(pu, near_bytes, levels[i].size_bytes / 2);
      }
  }

  /// How much more a line costs in a sweep over this many bytes than over `near_bytes`.
  [[nodiscard]] reading more_in_sweep(os_index pu, std::uint64_t near_bytes, std::uint64_t bytes) {
    reading near = least([&] { return hardware_.sweep_ns(pu, {.bytes = near_bytes}); });
    reading far = least([&] { return hardware_.sweep_ns(pu, {.bytes = bytes}); });
    if (!near.value) return near;
    if (!far.value) return far;
    return {std::max(0.0, *far.value - *near.value), {}};
  }

  /// How much more a line costs in a sweep over memory than in a sweep within a cache, relative to its cost alone.
  /// Every second line is written, so it goes in both directions.
  [[nodiscard]] reading misses_at_once(os_index pu, std::uint64_t near_bytes) {
    reading alone = memory_ns(pu);
    reading more = more_in_sweep(pu, near_bytes, seen_.memory_bytes);
    if (!alone.value) return alone;
    if (!more.value) return more;
    constexpr double ways_of_line = 1.5;
    const double more_ns = *more.value / ways_of_line;
    return {more_ns <= 0 ? most_at_once : std::clamp(*alone.value / more_ns, 1.0, most_at_once), {}};
  }

  [[nodiscard]] reading scattered_at_once(os_index pu) {
    reading alone = memory_ns(pu);
    reading each = least([&] { return hardware_.scattered_ns(pu, {.bytes = seen_.memory_bytes}); });
    if (!alone.value) return alone;
    if (!each.value) return each;
    return {*each.value <= 0 ? most_at_once : std::clamp(*alone.value / *each.value, 1.0, most_at_once), {}};
  }

  [[nodiscard]] reading memory_ns(os_index pu) { return walk_ns(pu, {.bytes = seen_.memory_bytes}); }

  void measure_pair(domain_id d, std::uint32_t node) {
    const domain& from = where_.at(d);
    const memory_of memory{node_to_bind(where_, node), seen_.memory_bytes};
    std::vector<os_index> pus;
    for (const core_id id : from.cores) pus.push_back(pu_of(where_, where_.at(id)));
    measured_pair made{.domain = d, .node = node};
    const std::string where = "domain " + std::to_string(index_of_id(d)) + ", node " + std::to_string(node);
    next("latency of memory: " + where);
    made.latency_ns = walk_ns(pus.front(), memory);
    next("bandwidth of memory: " + where);
    made.read_gb_per_s = greatest([&] { return hardware_.read_gb_per_s(pus, memory); });
    seen_.pairs.push_back(std::move(made));
  }

  void measure_handover(steal_distance distance, pu_pair between) {
    next("a line from PU " + std::to_string(number_of(between.one)) + " to PU " +
         std::to_string(number_of(between.other)));
    seen_.handovers.push_back({distance, hardware_.handover_ns(between.one, between.other)});
  }

  const machine& where_;
  measured_hardware& hardware_;
  const measuring_progress& progress_;
  std::size_t all_;
  std::size_t done_ = 0;
  machine_measurement seen_{};
};

}  // namespace

std::size_t readings_of(const machine& where) {
  std::size_t count = 2 * where.domains().size() * nodes_of(where);
  for (unsigned kind = 0; kind < where.core_kinds().size(); ++kind)
    if (const auto one = first_of_kind(where, kind)) count += 6 + looks_at(levels_around(where, *one));
  for (const auto& pair : pairs_by_distance(where)) count += pair ? 1 : 0;
  return count;
}

machine_measurement measure(const machine& where, measured_hardware& hardware, const measuring_progress& progress) {
  return measuring(where, hardware, progress).run();
}

}  // namespace nearfork::tools
