// Does what memory_hierarchy does, without what makes memory_hierarchy fast: looks through every cache that a line may
// be in, and counts every access by itself. No links, no bandwidths.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "listed_cache.hpp"
#include "machine/model/machine.hpp"
#include "sim/machine/cache_layout.hpp"
#include "sim/memory/line_directory.hpp"
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

/// Follows a round_model(), with latencies and ways by level and kind of core.
class searched_memory {
 public:
  searched_memory(const machine& where, const machine_model& model, std::uint32_t lines)
      : where_(where),
        model_(model),
        layout_(caches_of(where)),
        holder_of_cache_(layout_.caches.size(), none),
        holders_(number_holders()),
        directory_(lines, holders_ == 0 ? 1 : holders_),
        node_of_page_(lines / lines_of_page() + 1, none) {
    for (const cache_instance& one : layout_.caches) {
      const std::uint32_t ways = at_level(model.kinds[one.kind].associativity, one.level);
      const line_cache shape(one.size_bytes / model.line_bytes, ways);
      caches_.emplace_back(shape.sets(), shape.ways());
    }
  }

  memory_toll touch(std::uint32_t core, std::uint32_t first, std::uint32_t count, access_kind kind) {
    memory_toll toll;
    for (std::uint32_t line = first; line < first + count; ++line) {
      ++counts_.accesses;
      const line_record before = directory_.at(line);
      toll += look_up(core, line);
      if (kind == access_kind::write) toll.latency_ps += claim(core, before, line);
    }
    return toll;
  }
  [[nodiscard]] const memory_counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] std::uint32_t lines_of_page() const { return model_.page_bytes / model_.line_bytes; }
  [[nodiscard]] const std::vector<std::uint32_t>& path_of(std::uint32_t core) const { return layout_.of_core[core]; }
  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(layout_.of_core.size()); }
  [[nodiscard]] std::uint32_t holder_of(std::uint32_t core) const { return holder_of_cache_[path_of(core).back()]; }
  [[nodiscard]] std::uint64_t bit_of(std::uint32_t core) const { return directory_.bit_of(holder_of(core)); }

  std::uint32_t number_holders() {
    std::uint32_t known = 0;
    for (const auto& path : layout_.of_core)
      if (!path.empty() && holder_of_cache_[path.back()] == none) holder_of_cache_[path.back()] = known++;
    return known;
  }

  memory_toll look_up(std::uint32_t core, std::uint32_t line) {
    const auto& path = path_of(core);
    if (path.empty()) return {fetch(core, line), 1};
    for (std::uint32_t level = 0; level + 1 < path.size(); ++level) {
      ++counts_.level[level].accesses;
      if (!caches_[path[level]].touch(line).hit) continue;
      ++counts_.level[level].hits;
      directory_.at(line).add_core(core);
      return {hit_ps(core, path[level]), 0};
    }
    return {look_up_outermost(core, line), 1};
  }

  [[nodiscard]] std::uint64_t hit_ps(std::uint32_t core, std::uint32_t cache) const {
    return model_.kinds[where_.cores()[core].kind].hit_ps[layout_.caches[cache].level - 1];
  }

  std::uint64_t look_up_outermost(std::uint32_t core, std::uint32_t line) {
    const auto& path = path_of(core);
    level_count& count = counts_.level[path.size() - 1];
    ++count.accesses;
    const line_cache::outcome found = caches_[path.back()].touch(line);
    line_record& record = directory_.at(line);
    record.add_holder(bit_of(core));
    record.add_core(core);
    if (found.hit) {
      ++count.hits;
      return hit_ps(core, path.back());
    }
    if (record.dirty()) (void)write_back(core, record, line);
    const std::uint64_t evicted_ps = found.evicted == line_cache::no_line ? 0 : forget(core, found.evicted);
    return evicted_ps + fetch(core, line);
  }

  std::uint64_t memory_ps(std::uint32_t core, std::uint32_t node) const {
    return model_.memory_ps[index_of_id(where_.cores()[core].domain) * node_count(where_) + node];
  }

  std::uint64_t fetch(std::uint32_t core, std::uint32_t line) {
    const domain_id domain = where_.cores()[core].domain;
    std::uint32_t& node = node_of_page_[line / lines_of_page()];
    if (node == none) node = first_touch_node(where_, domain);
    ++(is_local(where_, domain, node) ? counts_.local : counts_.remote);
    return memory_ps(core, node);
  }

  std::uint64_t write_back(std::uint32_t core, line_record& record, std::uint32_t line) {
    record.clean();
    ++counts_.writebacks;
    return memory_ps(core, node_of_page_[line / lines_of_page()]);
  }

  std::uint64_t claim(std::uint32_t core, line_record before, std::uint32_t line) {
    if (path_of(core).empty()) return 0;
    line_record& record = directory_.at(line);
    if (record.belongs_to(bit_of(core), core)) return 0;
    const std::uint64_t counted = counts_.invalidations;
    for (std::uint32_t other = 0; other < cores(); ++other)
      if (other != core && may_have(before, other)) take(core, other, line);
    record.belong_to(bit_of(core), core);
    return counts_.invalidations == counted ? 0 : model_.invalidation_ps;
  }

  [[nodiscard]] bool may_have(line_record before, std::uint32_t core) const {
    if (!before.has_core()) return false;
    return before.has_sole_core() ? before.sole_core() == core : (before.holders() & bit_of(core)) != 0;
  }

  void take(std::uint32_t core, std::uint32_t other, std::uint32_t line) {
    const auto& path = path_of(other);
    if (path.back() != path_of(core).back() && caches_[path.back()].remove(line)) ++counts_.invalidations;
    for (std::size_t level = 0; level + 1 < path.size(); ++level)
      if (path[level] != path_of(core)[level]) caches_[path[level]].remove(line);
  }

  std::uint64_t forget(std::uint32_t core, std::uint32_t line) {
    line_record& record = directory_.at(line);
    for (std::uint32_t other = 0; other < cores(); ++other) {
      const bool behind = record.has_sole_core() ? record.sole_core() == other : holder_of(other) == holder_of(core);
      if (!behind) continue;
      for (std::size_t level = 0; level + 1 < path_of(other).size(); ++level)
        caches_[path_of(other)[level]].remove(line);
    }
    const std::uint64_t latency_ps = record.dirty() ? write_back(core, record, line) : 0;
    if (!directory_.exact()) return latency_ps;
    record.remove_holder(bit_of(core));
    if (record.holders() == 0) record.clear();
    return latency_ps;
  }

  const machine& where_;
  const machine_model& model_;
  cache_layout layout_;
  std::vector<std::uint32_t> holder_of_cache_;
  std::uint32_t holders_;
  line_directory directory_;
  std::vector<std::uint32_t> node_of_page_;
  std::vector<listed_cache> caches_;
  memory_counts counts_{};
};

}  // namespace nearfork::sim
