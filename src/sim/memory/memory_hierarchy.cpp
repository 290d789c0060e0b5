#include "sim/memory/memory_hierarchy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <nearfork/error.hpp>

#include "base/text/number_text.hpp"
#include "sim/memory/pages/page_rooms.hpp"

namespace nearfork::sim {
namespace {

/// One line more, so that an empty data space has a line, too.
std::uint64_t lines_in(std::uint64_t data_bytes, std::uint32_t line_bytes) {
  const std::uint64_t lines = data_bytes / line_bytes + 1;
  if (lines >= line_cache::no_line)
    throw error("nearfork: " + std::to_string(data_bytes) +
                " bytes are more than the simulator can tell apart, which is " +
                std::to_string(std::uint64_t{line_cache::no_line} * line_bytes) + "; simulate a smaller problem");
  return lines;
}

std::uint64_t overlapped(double latency_ps, double at_once) {
  return static_cast<std::uint64_t>(std::llround(latency_ps / std::max(1.0, at_once)));
}

double at_once(const core_model& of, access_order order) {
  switch (order) {
    case access_order::sweep: return of.memory_level_parallelism;
    case access_order::scattered: return of.scattered_parallelism;
    case access_order::chain: break;
  }
  return 1;
}

/// Rows of caches that are more than this are not in the host's cache when they are needed. Then the rows of the line
/// that comes so many lines later are asked for: a tenth faster on 64 domains of 16 cores. Where rows fit it costs a
/// tenth, because rows of a sweep are contiguous.
constexpr std::uint64_t host_cache_bytes = 8 << 20;
constexpr std::uint32_t lines_ahead = 8;
/// And what is kept of the lines that leave their rows for the line that comes so many lines later, which can be known
/// once the rows are there: about a tenth faster on 64 domains of 16 cores.
constexpr std::uint32_t victims_ahead = 4;

/// Fewer lines are looked up one by one.
constexpr std::uint32_t least_in_run = 3;

constexpr std::size_t index_of(access_kind kind) {
  return static_cast<std::size_t>(kind);
}
constexpr std::size_t index_of(access_order order) {
  return static_cast<std::size_t>(order);
}

/// Throws before any part of the model is used.
std::uint32_t line_bytes_if_fit(const machine& where, const machine_model& model) {
  require_fit(where, model);
  return model.line_bytes;
}

/// The first level of the core's caches that another core has, too.
std::uint32_t first_shared(const cache_layout& layout, std::uint32_t core) {
  const auto& path = layout.of_core[core];
  const auto is_shared = [&](std::uint32_t cache) {
    return std::ranges::count_if(layout.of_core,
                                 [&](const auto& other) { return std::ranges::find(other, cache) != other.end(); }) > 1;
  };
  return static_cast<std::uint32_t>(std::ranges::find_if(path, is_shared) - path.begin());
}

std::uint32_t outermost_caches(const cache_layout& layout) {
  std::vector<std::uint32_t> last;
  for (const auto& path : layout.of_core)
    if (!path.empty()) last.push_back(path.back());
  std::sort(last.begin(), last.end());
  return static_cast<std::uint32_t>(std::unique(last.begin(), last.end()) - last.begin());
}

/// Each line of a simulated cache takes 2 or 4 bytes here, so this many take at most 8 GiB.
constexpr std::uint64_t most_cached_lines = std::uint64_t{1} << 31;

void require_room_for_caches(const machine& where, const cache_layout& layout, std::uint64_t line_bytes) {
  std::uint64_t bytes = 0;  // a description has at most 8192 PUs, and a cache 1 TiB
  for (const cache_instance& one : layout.caches) bytes += one.size_bytes;
  if (bytes / line_bytes <= most_cached_lines) return;
  const auto largest = std::ranges::max_element(layout.caches, {}, &cache_instance::size_bytes);
  throw error("nearfork: the caches of " + where.provenance() + " have " + std::to_string(bytes >> 30) +
              " GiB together, the largest (level " + std::to_string(largest->level) + ") " +
              size_text(largest->size_bytes) + " bytes; the simulator follows at most " +
              std::to_string(most_cached_lines * line_bytes >> 30) + " GiB; correct their sizes, or give --scale");
}

}  // namespace

memory_hierarchy::memory_hierarchy(const machine& where, const machine_model& model, std::uint64_t data_bytes,
                                   std::size_t user_set_bytes)
    : line_bytes_(line_bytes_if_fit(where, model)),
      page_shift_(static_cast<std::uint32_t>(std::bit_width(model.page_bytes / model.line_bytes) - 1)),
      directory_(lines_in(data_bytes, model.line_bytes), std::max(1U, outermost_caches(caches_of(where)))),
      users_(lines_in(data_bytes, model.line_bytes), static_cast<std::uint32_t>(where.cores().size()), user_set_bytes),
      copies_(lines_in(data_bytes, model.line_bytes)),
      pages_((lines_in(data_bytes, model.line_bytes) >> page_shift_) + 1, room_of(where, model)),
      side_(model.side_cache_lines(), (lines_in(data_bytes, model.line_bytes) >> page_shift_) + 1, 1U << page_shift_),
      links_(model.between) {
  const cache_layout layout = caches_of(where);
  if (layout.most_levels() > most_cache_levels)
    throw error("nearfork: the simulator knows at most " + std::to_string(most_cache_levels) + " levels of cache; " +
                where.provenance() + " has " + std::to_string(layout.most_levels()));
  require_room_for_caches(where, layout, model.line_bytes);
  make_caches(layout, model);
  make_paths(where, model, layout);
  if (!links_.empty()) seat_of_node_ = model.between.seat_of_node;
  for (const std::uint64_t line_ps : model.node_line_ps) queues_.emplace_back(line_ps);
  served_lines_.resize(queues_.size());
  for (const side_cache_model& one : model.side_caches) queues_.emplace_back(one.line_ps);
  demanded_lines_.resize(queues_.size());
}

void memory_hierarchy::make_caches(const cache_layout& layout, const machine_model& model) {
  caches_.reserve(layout.caches.size());  // paths point into it
  std::uint64_t lines = 0;
  for (const cache_instance& one : layout.caches) lines += one.size_bytes / model.line_bytes;
  prefetches_ = lines * sizeof(std::uint32_t) > host_cache_bytes;
  prefetches_scattered_ = prefetches_ || directory_.lines() * sizeof(line_record) > host_cache_bytes;
  // Rows in half the memory pay where they must be fetched: a tenth faster on 64 domains of 16 cores.
  const std::uint64_t line_end = prefetches_ ? directory_.lines() : std::uint64_t{line_cache::no_line};
  for (const cache_instance& one : layout.caches)
    caches_.emplace_back(one.size_bytes / model.line_bytes, at_level(model.kinds[one.kind].associativity, one.level),
                         line_end);
}

void memory_hierarchy::make_memory_latencies(const machine_model& model, std::uint32_t nodes) {
  nothing_.assign(nodes, 0);
  const auto& write_ps = model.write_ps.empty() ? model.memory_ps : model.write_ps;
  for (const access_order order : access_orders)
    for (const auto kind : {access_kind::read, access_kind::write})
      for (const core_model& of : model.kinds)
        for (const std::uint64_t ps : kind == access_kind::read ? model.memory_ps : write_ps)
          memory_ps_[index_of(order)][index_of(kind)].push_back(
              overlapped(static_cast<double>(ps), at_once(of, order)));
  for (const access_order order : access_orders)
    for (const core_model& of : model.kinds)
      for (std::size_t i = 0; i < model.side_ps.size(); ++i) {
        const bool has_cache = model.side_caches[i % nodes].size_bytes > 0;
        const std::uint64_t ps = has_cache ? model.side_ps[i] : model.memory_ps[i];
        side_ps_[index_of(order)].push_back(overlapped(static_cast<double>(ps), at_once(of, order)));
      }
}

void memory_hierarchy::make_paths(const machine& where, const machine_model& model, const cache_layout& layout) {
  const std::uint32_t nodes = node_count(where);
  make_memory_latencies(model, nodes);
  for (std::uint32_t d = 0; d < where.domains().size(); ++d)
    for (std::uint32_t node = 0; node < nodes; ++node) local_.push_back(is_local(where, domain_id{d}, node) ? 1 : 0);

  std::vector<std::uint16_t> holder_of_cache(layout.caches.size(), 0xffff);
  for (std::uint32_t c = 0; c < where.cores().size(); ++c) {
    const core& made_for = where.cores()[c];
    const std::size_t row = index_of_id(made_for.domain) * nodes;
    core_path path{.core = static_cast<std::uint16_t>(c)};
    path.local = local_.data() + row;
    path.first_touch_node = first_touch_node(where, made_for.domain);
    if (!links_.empty()) path.seat = model.between.seat_of_domain[index_of_id(made_for.domain)];
    std::array<unsigned, most_cache_levels> levels{};
    for (const std::uint32_t cache : layout.of_core[c]) {
      levels[path.levels] = layout.caches[cache].level;
      path.cache[path.levels++] = &caches_[cache];
    }
    if (path.levels > 0) {
      path.private_levels = path.levels - 1;
      path.shared_from = first_shared(layout, c);
      path.exclusive = path.private_levels > 0 && levels[path.private_levels] == model.exclusive_level;
      any_exclusive_ = any_exclusive_ || path.exclusive;
      join_holder(path, holder_of_cache[layout.of_core[c].back()]);
    }
    set_latencies(path, where, model, levels);
    paths_.push_back(path);
  }
  // Where fewer cores are behind an outermost cache, its bit in the directory says almost as much as a set of them:
  // label propagation took a tenth longer with sets on pairs of cores, and a tenth less on eights.
  sets_pay_ = !any_exclusive_ && !holders_.empty() && paths_.size() / holders_.size() >= 8;
  allow_runs();
}

/// `holder`: the number of the core's outermost cache among such caches; 0xffff: it has none yet.
void memory_hierarchy::join_holder(core_path& path, std::uint16_t& holder) {
  if (holder == 0xffff) {
    holder = static_cast<std::uint16_t>(holders_.size());
    holders_.push_back({path.cache[path.levels - 1], path.seat, {}});
  }
  holders_[holder].cores.push_back(path.core);
  path.holder = holder;
  path.holder_bit = directory_.bit_of(holder);
}

void memory_hierarchy::set_latencies(core_path& path, const machine& where, const machine_model& model,
                                     const std::array<unsigned, most_cache_levels>& levels) const {
  const core& made_for = where.cores()[path.core];
  const core_model& of = model.kinds[made_for.kind];
  const double slower = of.mhz / static_cast<double>(core_mhz(where, model, core_id{path.core}));
  const std::size_t row = made_for.kind * model.memory_ps.size() + index_of_id(made_for.domain) * nothing_.size();
  for (const access_order order : access_orders)
    for (const auto kind : {access_kind::read, access_kind::write}) {
      access_costs& costs = path.costs[index_of(order)][index_of(kind)];
      for (std::uint32_t i = 0; i < path.levels; ++i) {
        const auto nominal_ps = static_cast<double>(at_level(of.hit_ps, levels[i]));
        costs.hit_ps[i] = overlapped(i < path.private_levels ? nominal_ps * slower : nominal_ps, at_once(of, order));
      }
      costs.memory_ps = memory_ps_[index_of(order)][index_of(kind)].data() + row;
      const latency_table& side = side_ps_[index_of(order)];
      if (!side.empty()) costs.side_ps = side.data() + row;
      const bool is_included = kind == access_kind::write && !model.write_ps.empty();
      const latency_table& back = side.empty() ? memory_ps_[index_of(order)][index_of(access_kind::read)] : side;
      costs.write_back_ps = is_included ? nothing_.data() : back.data() + row;
      costs.invalidation_ps = overlapped(static_cast<double>(model.invalidation_ps), at_once(of, order));
    }
}

memory_toll memory_hierarchy::touch(core_id core, std::uint32_t first, std::uint32_t count, access_kind kind,
                                    access_order order) {
  core_path& path = paths_[index_of_id(core)];
  const access_costs& costs = path.costs[index_of(order)][index_of(kind)];
  const auto before = counts_.level;
  if (kind == access_kind::write) place_written(path, first, count);
  memory_toll toll;
  if (path.exclusive) toll.latency_ps = touch_exclusive(path, costs, first, count, kind);
  else if (std::min(count, path.run_lines) >= least_in_run)
    toll.latency_ps = touch_runs(path, costs, first, count, kind);
  else toll.latency_ps = touch_lines<inclusion::inclusive>(path, costs, first, count, kind);
  toll.private_misses = count_accesses(path, before, count);
  return toll;
}

std::uint64_t memory_hierarchy::touch_exclusive(core_path& path, const access_costs& costs, std::uint32_t first,
                                                std::uint32_t count, access_kind kind) {
  return touch_lines<inclusion::exclusive>(path, costs, first, count, kind);
}

std::uint64_t memory_hierarchy::private_ps(core_id core, access_order order,
                                           const level_counts& before) const noexcept {
  const core_path& path = paths_[index_of_id(core)];
  const access_costs& costs = path.costs[index_of(order)][index_of(access_kind::read)];  // a hit costs a write the same
  std::uint64_t sum_ps = 0;
  for (std::uint32_t i = 0; i < path.private_levels; ++i)
    sum_ps += (counts_.level[i].hits - before[i].hits) * costs.hit_ps[i];
  return sum_ps;
}

template <memory_hierarchy::inclusion how>
std::uint64_t memory_hierarchy::touch_lines(core_path& path, const access_costs& costs, std::uint32_t first,
                                            std::uint32_t count, access_kind kind) {
  std::uint64_t latency_ps = 0;
  const bool sweeps = prefetches_ && count >= least_in_run;
  if (kind == access_kind::read)
    for (std::uint32_t line = first; line != first + count; ++line) {
      if (sweeps) {
        prefetch(path, line + lines_ahead);
        prefetch_evicted(path, line + victims_ahead);
      }
      latency_ps += look_up<how>(path, costs, line);
    }
  else
    for (std::uint32_t line = first; line != first + count; ++line) {
      if (sweeps) {
        prefetch_written(path, line + lines_ahead);
        prefetch_evicted(path, line + victims_ahead);
      }
      const line_before had{directory_.at(line), !copies_.none(line)};
      latency_ps += look_up<how>(path, costs, line);
      latency_ps += claim(path, costs, had, line);
    }
  return latency_ps;
}

void memory_hierarchy::prefetch_paths_of(core_id core) const noexcept {
  const auto* const path = reinterpret_cast<const std::byte*>(&paths_[index_of_id(core)]);
  for (std::size_t from = 0; from < sizeof(core_path); from += 64) __builtin_prefetch(path + from);
}

void memory_hierarchy::place_written(const core_path& path, std::uint32_t first, std::uint32_t count) {
  if (count == 0) return;
  const std::uint32_t last = (first + count - 1) >> page_shift_;
  for (std::uint32_t page = first >> page_shift_; page <= last; ++page) pages_.write(page, path.first_touch_node);
}

/// Counts the accesses of each level: those that missed the level before it. Returns the accesses of the last level.
std::uint64_t memory_hierarchy::count_accesses(const core_path& path, const level_counts& before,
                                               std::uint64_t count) noexcept {
  counts_.accesses += count;
  std::uint64_t left = count;
  for (std::uint32_t i = 0; i < path.levels; ++i) {
    counts_.level[i].accesses += left;
    if (i < path.private_levels) left -= counts_.level[i].hits - before[i].hits;
  }
  return left;
}

std::uint64_t memory_hierarchy::serve(std::uint64_t now_ps) {
  std::uint64_t done_ps = links_.serve(now_ps);
  for (const std::uint32_t queue : demanded_queues_) {
    done_ps = std::max(done_ps, queues_[queue].serve(now_ps, demanded_lines_[queue]));
    if (queue < served_lines_.size()) served_lines_[queue] += demanded_lines_[queue];
    demanded_lines_[queue] = 0;
  }
  demanded_queues_.clear();
  return done_ps;
}

template <memory_hierarchy::inclusion how>
std::uint64_t memory_hierarchy::look_up(core_path& path, const access_costs& costs, std::uint32_t line) {
  const private_search found = copies_.none(line) ? insert_private(path, line) : touch_private(path, line);
  if (path.levels == 0) return fetch(path, costs, line);
  if (found.level < path.private_levels) return costs.hit_ps[found.level];
  if constexpr (how == inclusion::exclusive) return look_up_exclusive(path, costs, line, found.evicted);
  else return look_up_outermost(path, costs, line);
}

memory_hierarchy::private_search memory_hierarchy::touch_private(core_path& path, std::uint32_t line) noexcept {
  std::uint32_t evicted = line_cache::no_line;
  for (std::uint32_t i = 0; i < path.private_levels; ++i) {
    const line_cache::outcome found = path.cache[i]->touch(line);
    if (found.hit) {
      ++counts_.level[i].hits;
      if (i >= path.shared_from) note_user(directory_.at(line), line, path.core);
      return {i, line_cache::no_line};
    }
    copies_.add(line, 1);
    evict_private(evicted = found.evicted);
  }
  return {path.private_levels, evicted};
}

/// As touch_private(), for a line that is in no private cache.
memory_hierarchy::private_search memory_hierarchy::insert_private(core_path& path, std::uint32_t line) noexcept {
  std::uint32_t evicted = line_cache::no_line;
  for (std::uint32_t i = 0; i < path.private_levels; ++i) evict_private(evicted = path.cache[i]->insert(line));
  copies_.add(line, path.private_levels);
  return {path.private_levels, evicted};
}

std::uint64_t memory_hierarchy::look_up_outermost(core_path& path, const access_costs& costs, std::uint32_t line) {
  const std::uint32_t level = path.private_levels;
  line_record& record = directory_.at(line);
  const line_cache::outcome found = (record.holders() & path.holder_bit) != 0
                                        ? path.cache[level]->touch(line)
                                        : line_cache::outcome{false, path.cache[level]->insert(line)};
  record.add_holder(path.holder_bit);
  note_user(record, line, path.core);
  if (found.hit) {
    ++counts_.level[level].hits;
    return costs.hit_ps[level];
  }
  // The line comes from the other cache while it is written back.
  if (record.dirty()) (void)write_back(costs, record, line, seat_of_holder(record.holders() & ~path.holder_bit, path));
  const std::uint64_t evicted_ps = found.evicted == line_cache::no_line ? 0 : forget(path, costs, found.evicted);
  return evicted_ps + fetch(path, costs, line);
}

/// The line is in the core's own caches. `before`: which caches had it before. Afterwards no other cache has it.
std::uint64_t memory_hierarchy::claim(const core_path& path, const access_costs& costs, line_before before,
                                      std::uint32_t line) {
  if (path.levels == 0) return 0;
  line_record& record = directory_.at(line);
  if (record.belongs_to(path.holder_bit, path.core)) return 0;
  const std::uint64_t counted = counts_.invalidations;
  take_from_others(path, before, line);
  record.belong_to(path.holder_bit, path.core);
  return counts_.invalidations == counted ? 0 : costs.invalidation_ps;
}

std::optional<std::uint64_t> memory_hierarchy::move_page(core_id core, std::uint64_t page, std::uint32_t node,
                                                         page_map::room_use may_use) {
  const std::uint32_t from = pages_.node_of(page);
  if (from == node) return 0;
  if (!pages_.move(page, node, may_use)) return std::nullopt;
  const core_path& path = paths_[index_of_id(core)];
  const auto& costs = path.costs[static_cast<std::size_t>(access_order::sweep)];
  const std::uint32_t lines = 1U << page_shift_;
  demand_lines(from, lines);
  demand_lines(node, lines);
  if (!links_.empty())
    for (std::uint32_t i = 0; i < lines; ++i) {
      links_.carry(seat_of_node_[from], path.seat);
      links_.carry(path.seat, seat_of_node_[node]);
    }
  return lines * (costs[static_cast<std::size_t>(access_kind::read)].memory_ps[from] +
                  costs[static_cast<std::size_t>(access_kind::write)].memory_ps[node]);
}

}  // namespace nearfork::sim
