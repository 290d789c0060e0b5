// Caches, memory nodes, and their coherence, line by line.
//
// Outermost caches are inclusive, unless the model says otherwise (exclusive_level.cpp): a line that one evicts is also
// removed from the caches of the cores behind it. A write removes the line from all other caches. Only the directory
// knows that a line is newer than memory; the holder's eviction writes it back. An access that needs the place of such
// a line waits as long as for a line that is read, unless the model has latencies of writes, which include that.
// Accesses of a chain do not overlap. Memory of a node may have a cache of its own (side_access.cpp).
// Not modelled: hardware prefetch as such (it is in the number of accesses that overlap),
// transfers from cache to cache (a line that another holder has changed is written back and read from memory), pages of
// several sizes, and translation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/machine/cache_layout.hpp"
#include "sim/machine/link_network.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/machine/memory_queue.hpp"
#include "sim/memory/copy_counts.hpp"
#include "sim/memory/line_cache.hpp"
#include "sim/memory/line_directory.hpp"
#include "sim/memory/line_users.hpp"
#include "sim/memory/memory_counts.hpp"
#include "sim/memory/pages/page_heat.hpp"
#include "sim/memory/pages/page_map.hpp"
#include "sim/memory/side_caches.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

/// What some accesses cost, without other load.
struct memory_toll {
  std::uint64_t latency_ps = 0;
  std::uint64_t private_misses = 0;  // lines that no cache before the core's outermost one held
  constexpr memory_toll& operator+=(memory_toll other) noexcept {
    latency_ps += other.latency_ps;
    private_misses += other.private_misses;
    return *this;
  }
};

class memory_hierarchy {
 public:
  /// Throws: nearfork::error if `data_bytes` are too many lines to count, or if the model does not fit the machine.
  memory_hierarchy(const machine& where, const machine_model& model, std::uint64_t data_bytes,
                   std::size_t user_set_bytes = line_users::usual_set_bytes);
  memory_hierarchy(const memory_hierarchy&) = delete;  // ways of cores point into caches
  memory_hierarchy& operator=(const memory_hierarchy&) = delete;

  [[nodiscard]] std::uint32_t line_bytes() const noexcept { return line_bytes_; }
  [[nodiscard]] std::uint64_t page_bytes() const noexcept { return std::uint64_t{line_bytes_} << page_shift_; }

  /// Where the pages of the data lie.
  [[nodiscard]] page_map& pages() noexcept { return pages_; }
  [[nodiscard]] const page_map& pages() const noexcept { return pages_; }
  /// Counts lines that are read from memory, by page.
  [[nodiscard]] page_heat& heat() noexcept { return heat_; }
  /// Since time 0: reads from memory of the core's own domain, and of others.
  [[nodiscard]] std::uint64_t local_reads() const noexcept { return counts_.local; }
  [[nodiscard]] std::uint64_t remote_reads() const noexcept { return counts_.remote; }
  /// The core moves a page that lies somewhere: it reads and writes all its lines, past its caches. Returns their
  /// latency; the demand is kept until serve(). What caches have of the page stays there. nullopt: the node is full.
  [[nodiscard]] std::optional<std::uint64_t> move_page(core_id core, std::uint64_t page, std::uint32_t node,
                                                       page_map::room_use may_use = page_map::room_use::all);

  /// A core uses `count` lines from `first` on. The demand on memory nodes is kept until serve().
  memory_toll touch(core_id core, std::uint32_t first, std::uint32_t count, access_kind kind,
                    access_order order = access_order::sweep);
  /// True if what touch() looks at is more than the host's caches hold.
  [[nodiscard]] bool prefetches() const noexcept { return prefetches_; }
  /// Asks the host for what touch() of these lines looks at before it asks itself.
  void prefetch(core_id core, std::uint32_t first, std::uint32_t count, access_kind kind) const noexcept;
  /// Asks the host for what prefetch() looks at.
  void prefetch_paths_of(core_id core) const noexcept;
  /// True if what is kept of the lines is more than the host's caches hold. Then scattered accesses are worth the
  /// following two; what a sweep looks at is contiguous.
  [[nodiscard]] bool prefetches_scattered() const noexcept { return prefetches_scattered_; }
  /// Asks the host for what an access looks at that comes soon. Any line of the data.
  void prefetch_scattered(core_id core, std::uint32_t line) const noexcept;
  /// A little later: for what it looks at because it drives other lines out.
  void prefetch_driven_out(core_id core, std::uint32_t line) const noexcept;
  /// Serves all demand since the last call, as of `now_ps`. Returns when the last node and the last link are done.
  [[nodiscard]] std::uint64_t serve(std::uint64_t now_ps);

  /// Lines that each node has sent and taken up to the last serve().
  [[nodiscard]] const std::vector<std::uint64_t>& served_lines() const noexcept { return served_lines_; }

  using level_counts = std::array<level_count, most_cache_levels>;
  /// As in counts(), without the rest.
  [[nodiscard]] const level_counts& levels() const noexcept { return counts_.level; }
  /// The part of the latencies that goes by the core's clock: hits in private caches since levels() were `before`, all
  /// of them by that core and in that order.
  [[nodiscard]] std::uint64_t private_ps(core_id core, access_order order, const level_counts& before) const noexcept;

  [[nodiscard]] memory_counts counts() const noexcept {
    memory_counts all = counts_;
    all.carried = links_.carried();
    return all;
  }

 private:
  static constexpr std::size_t access_kinds = 2;
  /// What the steps of one kind of access cost. By node: from memory, and to write back a changed line.
  struct access_costs {
    std::array<std::uint64_t, most_cache_levels> hit_ps{};
    const std::uint64_t* memory_ps = nullptr;
    const std::uint64_t* write_back_ps = nullptr;
    const std::uint64_t* side_ps = nullptr;  // of a line in the node's memory-side cache; only if there are such caches
    std::uint64_t invalidation_ps = 0;
  };
  /// The caches that a core's accesses go through.
  struct core_path {
    std::uint32_t levels = 0;
    std::uint32_t private_levels = 0;
    std::uint32_t shared_from = 0;  // the first level of several cores: a find there is told to the directory
    std::uint32_t run_lines = 1;    // that may be looked up together (line_runs.cpp)
    std::array<line_cache*, most_cache_levels> cache{};
    std::array<std::array<access_costs, access_kinds>, access_orders.size()> costs{};
    const std::uint8_t* local = nullptr;  // by node
    bool exclusive = false;               // the outermost cache has only what private caches evicted
    std::uint32_t first_touch_node = 0;
    std::uint32_t seat = 0;
    std::uint16_t core = 0;
    std::uint16_t holder = 0;
    std::uint64_t holder_bit = 0;
  };
  struct line_before {  // a core looks it up
    line_record record;
    bool copied;  // it is in private caches
  };
  struct cache_group {  // the cores behind one outermost cache
    line_cache* outermost;
    std::uint32_t seat;  // where links begin
    std::vector<std::uint16_t> cores;
  };

  enum class inclusion : std::uint8_t { inclusive, exclusive };  // of the outermost cache
  struct private_search {
    std::uint32_t level;    // that had the line; the number of private levels: none
    std::uint32_t evicted;  // from the last private cache, for the line's sake
  };

  [[gnu::always_inline]] inline void prefetch(const core_path& path, std::uint32_t line) const noexcept;
  [[gnu::always_inline]] inline void prefetch_rows(const core_path& path, std::uint32_t line) const noexcept;
  void prefetch_users(std::uint32_t line) const noexcept;
  [[gnu::always_inline]] inline void prefetch_evicted(const core_path& path, std::uint32_t line) const noexcept;
  [[gnu::always_inline]] inline void prefetch_written(const core_path& path, std::uint32_t line) const noexcept;
  void place_written(const core_path& path, std::uint32_t first, std::uint32_t count);
  void make_caches(const cache_layout& layout, const machine_model& model);
  void make_paths(const machine& where, const machine_model& model, const cache_layout& layout);
  void make_memory_latencies(const machine_model& model, std::uint32_t nodes);
  void set_latencies(core_path& path, const machine& where, const machine_model& model,
                     const std::array<unsigned, most_cache_levels>& levels) const;
  void join_holder(core_path& path, std::uint16_t& holder);

  std::uint64_t count_accesses(const core_path& path, const level_counts& before, std::uint64_t count) noexcept;

  /// Always inlined into touch(), which neither compiler does by itself, because most lines go through it: 42 instead
  /// of 34 million lines a second in the slowest of bench/micro/simulated_accesses.cpp.
  template <inclusion how>
  [[gnu::always_inline]] inline std::uint64_t look_up(core_path& path, const access_costs& costs, std::uint32_t line);
  template <inclusion how>
  [[gnu::always_inline]] inline std::uint64_t touch_lines(core_path& path, const access_costs& costs,
                                                          std::uint32_t first, std::uint32_t count, access_kind kind);
  /// Apart from touch(), which then costs single lines no more than without it: fft is made of them.
  [[gnu::noinline]] std::uint64_t touch_exclusive(core_path& path, const access_costs& costs, std::uint32_t first,
                                                  std::uint32_t count, access_kind kind);
  [[gnu::always_inline]] inline private_search touch_private(core_path& path, std::uint32_t line) noexcept;
  [[gnu::always_inline]] inline private_search insert_private(core_path& path, std::uint32_t line) noexcept;
  [[gnu::always_inline]] inline void evict_private(std::uint32_t evicted) noexcept;
  [[gnu::always_inline]] inline std::uint64_t look_up_outermost(core_path& path, const access_costs& costs,
                                                                std::uint32_t line);
  [[gnu::always_inline]] inline std::uint64_t fetch(const core_path& path, const access_costs& costs,
                                                    std::uint32_t line);
  [[gnu::always_inline]] inline std::uint64_t claim(const core_path& path, const access_costs& costs,
                                                    line_before before, std::uint32_t line);
  [[gnu::always_inline]] inline std::uint64_t forget(const core_path& path, const access_costs& costs,
                                                     std::uint32_t line);
  [[gnu::always_inline]] inline std::uint64_t write_back(const access_costs& costs, line_record& record,
                                                         std::uint32_t line, std::uint32_t seat);
  /// `queue`: a node, or side_queue() of a node.
  [[gnu::always_inline]] inline void demand(std::uint32_t queue, std::uint32_t lines = 1);
  void demand_lines(std::uint32_t queue, std::uint32_t lines);
  [[nodiscard]] std::uint32_t side_queue(std::uint32_t node) const noexcept {
    return static_cast<std::uint32_t>(served_lines_.size()) + node;
  }
  /// Returns what the access takes. Only if the node has a memory-side cache.
  std::uint64_t pass_side_cache(const access_costs& costs, std::uint32_t node, std::uint32_t line, access_kind kind);

  // Runs of lines (line_runs.cpp):
  struct line_run {
    std::uint32_t first;
    std::uint32_t count;
    [[nodiscard]] constexpr line_mask all() const noexcept { return first_lines(count); }
  };
  struct run_toll {
    std::uint64_t latency_ps = 0;
    line_mask missed = 0;  // lines that no private cache had
  };
  struct run_before {  // a core looks it up
    std::array<line_record, most_in_run> records;
    line_mask copied;  // lines that are in private caches
  };
  void allow_runs() noexcept;
  [[gnu::noinline]] std::uint64_t touch_runs(core_path& path, const access_costs& costs, std::uint32_t first,
                                             std::uint32_t count, access_kind kind);
  std::uint64_t write_run(core_path& path, const access_costs& costs, line_run run);
  run_toll look_up_run(core_path& path, const access_costs& costs, line_run run, line_mask copied);
  struct driven_out {  // by level: for which lines of a run others were driven out, and which
    std::array<line_mask, most_cache_levels> by;
    std::array<std::array<std::uint32_t, most_in_run>, most_cache_levels> lines;
  };
  line_mask look_in_private(core_path& path, std::uint32_t level, std::uint32_t first, line_mask fresh, line_mask old,
                            driven_out& evicted);
  [[nodiscard]] line_mask used_by_others(const core_path& path, std::uint32_t first, line_mask which) const noexcept;
  line_mask look_in_outermost(core_path& path, std::uint32_t first, line_mask wanted, driven_out& evicted);
  std::uint64_t fill_outermost(const core_path& path, const access_costs& costs, std::uint32_t first, line_mask missed,
                               const std::uint32_t* evicted);
  std::uint64_t fetch_run(const core_path& path, const access_costs& costs, std::uint32_t first, line_mask missed);
  std::uint64_t claim_run(const core_path& path, const access_costs& costs, line_run run, const run_before& before,
                          line_mask missed);
  line_mask take_alike(const core_path& path, std::uint32_t first, line_mask alike, const run_before& before,
                       line_mask missed);
  /// How many other private caches may still have each line of a run.
  struct copies_left {
    std::array<std::uint32_t, most_in_run> of;
    line_mask some = 0;
  };
  [[nodiscard]] copies_left copies_beside(const core_path& path, std::uint32_t first, line_mask copied,
                                          line_mask missed) const noexcept;
  struct core_list {
    std::array<std::uint32_t, line_users::most_listed> cores{};
    std::uint32_t size = 0;
    void add(std::uint32_t core) noexcept { cores[size++] = core; }
  };
  void remove_inside(const core_path& path, const core_list& owners, std::uint32_t first, copies_left& copies);
  [[nodiscard]] line_mask alike(std::uint32_t first, line_mask which, const run_before& before) const noexcept;
  void prefetch_run(const core_path& path, line_run run, access_kind kind) const noexcept;
  void prefetch_large_rows(const core_path& path, line_run run) const noexcept;
  void prefetch_owners(const core_path& path, line_run run) const noexcept;

  // An exclusive last level:
  std::uint64_t look_up_exclusive(core_path& path, const access_costs& costs, std::uint32_t line,
                                  std::uint32_t evicted);
  std::uint64_t move_out(const core_path& path, const access_costs& costs, std::uint32_t evicted);
  std::uint64_t give_up(const core_path& path, const access_costs& costs, std::uint32_t line);
  [[nodiscard]] bool is_private_behind(const core_path& path, std::uint32_t line, const line_cache* but_for) const;

  [[gnu::always_inline]] inline void note_user(line_record& record, std::uint32_t line, std::uint32_t core) noexcept;
  void take_from_others(const core_path& path, line_before before, std::uint32_t line);
  void take_from_users(const core_path& path, line_record known, std::uint32_t line, std::uint32_t copies);
  void take_from(const core_path& owner, const core_path& path, std::uint32_t line, std::uint32_t& copies);
  void take_from_holder(std::uint32_t holder, const core_path& path, std::uint32_t line, std::uint32_t& copies);
  void leave_holder(const core_path& path, line_record& record, std::uint32_t line);
  void remove_behind(const core_path& path, line_record record, std::uint32_t line);
  std::uint32_t remove_inside(const core_path& path, std::uint32_t line, std::uint32_t most,
                              const core_path* but_for = nullptr);
  [[nodiscard]] std::uint32_t copies_beside(const core_path& path, std::uint32_t line) const noexcept;
  [[nodiscard]] std::uint32_t seat_of_holder(std::uint64_t others, const core_path& path) const noexcept;

  std::uint32_t line_bytes_;
  std::uint32_t page_shift_;  // from a line to its page
  std::vector<line_cache> caches_;
  bool prefetches_ = false;  // rows of caches before they are needed
  bool prefetches_scattered_ = false;
  bool any_exclusive_ = false;  // outermost cache
  bool sets_pay_ = false;       // of the users of lines
  std::vector<cache_group> holders_;
  std::vector<core_path> paths_;
  using latency_table = std::vector<std::uint64_t>;  // by core kind, domain and node
  std::array<std::array<latency_table, access_kinds>, access_orders.size()> memory_ps_;
  std::array<latency_table, access_orders.size()> side_ps_;  // memory's for nodes without a memory-side cache
  std::vector<std::uint64_t> nothing_;                       // by node
  std::vector<std::uint8_t> local_;                          // by domain and node
  line_directory directory_;
  line_users users_;
  copy_counts copies_;
  page_map pages_;
  page_heat heat_{};
  side_caches side_;
  bool has_side_caches_ = !side_.empty();
  link_network links_;
  std::vector<std::uint32_t> seat_of_node_;    // empty without links
  std::vector<memory_queue> queues_;           // by node; then those of memory-side caches
  std::vector<std::uint64_t> demanded_lines_;  // by queue
  std::vector<std::uint32_t> demanded_queues_;
  std::vector<std::uint64_t> served_lines_;  // by node
  memory_counts counts_{};
};

inline void memory_hierarchy::prefetch_rows(const core_path& path, std::uint32_t line) const noexcept {
  for (std::uint32_t i = 0; i < path.levels; ++i) path.cache[i]->prefetch(line);
}

inline std::uint64_t memory_hierarchy::fetch(const core_path& path, const access_costs& costs, std::uint32_t line) {
  const std::uint32_t node = pages_.read(line >> page_shift_, path.first_touch_node);
  heat_.add(line >> page_shift_);
  if (!links_.empty()) links_.carry(seat_of_node_[node], path.seat);
  if (path.local[node] != 0) ++counts_.local;
  else ++counts_.remote;
  if (has_side_caches_ && side_.has(node)) [[unlikely]]
    return pass_side_cache(costs, node, line, access_kind::read);
  demand(node);
  return costs.memory_ps[node];
}

inline std::uint64_t memory_hierarchy::write_back(const access_costs& costs, line_record& record, std::uint32_t line,
                                                  std::uint32_t seat) {
  record.clean();
  ++counts_.writebacks;
  const std::uint32_t node = pages_.node_of(line >> page_shift_);
  if (!links_.empty()) links_.carry(seat, seat_of_node_[node]);
  if (has_side_caches_ && side_.has(node)) [[unlikely]]
    return pass_side_cache(costs, node, line, access_kind::write);
  demand(node);
  return costs.write_back_ps[node];
}

inline void memory_hierarchy::note_user(line_record& record, std::uint32_t line, std::uint32_t core) noexcept {
  if (!record.has_sole_core()) users_.add(line, core);
  else if (record.has_core() && record.sole_core() != core) users_.begin(line, record.sole_core(), core);
  record.add_core(core);
}

inline void memory_hierarchy::demand(std::uint32_t queue, std::uint32_t lines) {
  if (demanded_lines_[queue] == 0) demanded_queues_.push_back(queue);
  demanded_lines_[queue] += lines;
}

inline void memory_hierarchy::evict_private(std::uint32_t evicted) noexcept {
  if (evicted != line_cache::no_line) copies_.remove(evicted);
}

/// Call it when the core's outermost cache has evicted the line.
inline std::uint64_t memory_hierarchy::forget(const core_path& path, const access_costs& costs, std::uint32_t line) {
  line_record& record = directory_.at(line);
  if (!copies_.none(line)) remove_behind(path, record, line);
  const std::uint64_t latency_ps = record.dirty() ? write_back(costs, record, line, path.seat) : 0;
  leave_holder(path, record, line);
  return latency_ps;
}

/// What the line's access will look at.
inline void memory_hierarchy::prefetch(const core_path& path, std::uint32_t line) const noexcept {
  prefetch_rows(path, line);
  directory_.prefetch(line);
  copies_.prefetch(line);
}

/// What will be looked at because the line drives others out. Its rows, which say which, are there by now.
inline void memory_hierarchy::prefetch_evicted(const core_path& path, std::uint32_t line) const noexcept {
  for (std::uint32_t i = 0; i < path.levels; ++i) {
    const std::uint32_t evicted = path.cache[i]->last_of_row(line);
    if (evicted == line_cache::no_line) continue;
    copies_.prefetch(evicted);
    if (i == path.private_levels) directory_.prefetch(evicted);
  }
}

inline void memory_hierarchy::prefetch_written(const core_path& path, std::uint32_t line) const noexcept {
  prefetch(path, line);
  if (line >= directory_.lines()) return;
  const line_record record = directory_.at(line);
  if (!record.has_core()) return;
  if (!record.has_sole_core()) return prefetch_users(line);
  if (record.sole_core() != path.core) prefetch_rows(paths_[record.sole_core()], line);
}

}  // namespace nearfork::sim
