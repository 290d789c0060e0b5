// An exclusive last level in the fewest words: every cache is a list, what is newer than memory is a set, and every
// cache of the machine is looked through for every access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "listed_cache.hpp"
#include "machine/model/machine.hpp"
#include "sim/machine/cache_layout.hpp"
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

/// Follows a round_model() whose kinds of cores have the same latencies. Each core has at least two levels.
class exclusive_lists {
 public:
  exclusive_lists(const machine& where, const machine_model& model)
      : where_(where), model_(model), layout_(caches_of(where)) {
    for (const cache_instance& one : layout_.caches) {
      const std::uint32_t ways = at_level(model.kinds[one.kind].associativity, one.level);
      const line_cache shape(one.size_bytes / model.line_bytes, ways);
      caches_.emplace_back(shape.sets(), shape.ways());
    }
  }

  std::uint64_t touch(std::uint32_t core, std::uint32_t line, access_kind kind) {
    ++counts_.accesses;
    const std::uint64_t latency_ps = look_up(core, line);
    return kind == access_kind::read ? latency_ps : latency_ps + claim(core, line);
  }
  [[nodiscard]] const memory_counts& counts() const { return counts_; }

 private:
  using cache_list = std::vector<std::uint32_t>;
  [[nodiscard]] const cache_list& path_of(std::uint32_t core) const { return layout_.of_core[core]; }
  [[nodiscard]] std::uint32_t last_of(std::uint32_t core) const { return path_of(core).back(); }
  [[nodiscard]] cache_list private_of(std::uint32_t core) const {
    return {path_of(core).begin(), path_of(core).end() - 1};
  }
  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(layout_.of_core.size()); }
  [[nodiscard]] std::uint64_t hit_ps(std::uint32_t cache) const {
    return model_.kinds[0].hit_ps[layout_.caches[cache].level - 1];
  }
  [[nodiscard]] bool in_private_caches(std::uint32_t last, std::uint32_t line, std::uint32_t but_for) const {
    for (std::uint32_t core = 0; core < cores(); ++core)
      if (core != but_for && last_of(core) == last)
        for (const std::uint32_t cache : private_of(core))
          if (caches_[cache].holds(line)) return true;
    return false;
  }

  std::uint64_t look_up(std::uint32_t core, std::uint32_t line) {
    // A cache that two cores share is searched for the line before the line comes to it.
    const bool neighbours_have_it = in_private_caches(last_of(core), line, core);
    std::uint32_t evicted = line_cache::no_line;
    std::size_t level = 0;
    for (const std::uint32_t cache : private_of(core)) {
      ++counts_.level[level].accesses;
      const line_cache::outcome found = caches_[cache].touch(line);
      if (found.hit) {
        ++counts_.level[level].hits;
        return hit_ps(cache);
      }
      evicted = found.evicted;
      ++level;
    }
    ++counts_.level[level].accesses;
    std::uint64_t latency_ps = hit_ps(last_of(core));
    if (caches_[last_of(core)].remove(line) || neighbours_have_it) ++counts_.level[level].hits;
    else {
      counts_.writebacks += newer_.erase(line);
      latency_ps = fetch(core, line);
    }
    return evicted == line_cache::no_line ? latency_ps : latency_ps + move_out(core, evicted);
  }

  std::uint64_t move_out(std::uint32_t core, std::uint32_t line) {
    const std::uint32_t from = private_of(core).back();
    for (std::uint32_t other = 0; other < cores(); ++other)
      if (private_of(other).back() == from)
        for (const std::uint32_t cache : private_of(other)) caches_[cache].remove(line);
    const std::uint32_t out = caches_[last_of(core)].touch(line).evicted;
    const bool is_gone = out != line_cache::no_line && !in_private_caches(last_of(core), out, cores());
    if (!is_gone || newer_.erase(out) == 0) return 0;
    ++counts_.writebacks;
    return memory_ps(core, node_of_page_.at(out / lines_of_page()));
  }

  std::uint64_t claim(std::uint32_t core, std::uint32_t line) {
    std::set<std::uint32_t> losers;  // last levels
    const cache_list& mine = path_of(core);
    for (std::uint32_t other = 0; other < cores(); ++other)
      for (const std::uint32_t cache : path_of(other)) {
        const bool is_kept = std::find(mine.begin(), mine.end(), cache) != mine.end() && cache != mine.back();
        if (!is_kept && caches_[cache].remove(line) && last_of(other) != mine.back()) losers.insert(last_of(other));
      }
    newer_.insert(line);
    counts_.invalidations += losers.size();
    return losers.empty() ? 0 : model_.invalidation_ps;
  }

  [[nodiscard]] std::uint32_t lines_of_page() const { return model_.page_bytes / model_.line_bytes; }
  [[nodiscard]] std::uint64_t memory_ps(std::uint32_t core, std::uint32_t node) const {
    return model_.memory_ps[index_of_id(where_.cores()[core].domain) * node_count(where_) + node];
  }
  std::uint64_t fetch(std::uint32_t core, std::uint32_t line) {
    const domain_id domain = where_.cores()[core].domain;
    const auto page = node_of_page_.emplace(line / lines_of_page(), first_touch_node(where_, domain)).first;
    ++(is_local(where_, domain, page->second) ? counts_.local : counts_.remote);
    return memory_ps(core, page->second);
  }

  const machine& where_;
  const machine_model& model_;
  cache_layout layout_;
  std::vector<listed_cache> caches_;
  std::set<std::uint32_t> newer_;  // than memory
  std::map<std::uint32_t, std::uint32_t> node_of_page_;
  memory_counts counts_{};
};

}  // namespace nearfork::sim
