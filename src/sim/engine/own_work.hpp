// What tasks do by themselves between their forks: they compute and touch data. A worker does it in slices, whose lines
// go through the caches of its core, at the pace of its core.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/course/data_course.hpp"
#include "plan/crew/worker_places.hpp"
#include "plan/profile/profile.hpp"
#include "sim/cores/core_pace.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/memory/pages/followed_pages.hpp"
#include "sim/memory/pages/page_rooms.hpp"
#include "sim/programs/program.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

class own_work {
 public:
  /// One worker for each place. Programs may touch `data_bytes`.
  own_work(const machine& where, const machine_model& model, std::uint64_t data_bytes,
           std::span<const worker_place> places);

  // --- where data lie before anything runs ---
  /// Pages that hold a part of the array. `nodes`: by domain.
  void place(const data_array& data, page_rule how, std::span<const std::uint32_t> nodes);
  void wait_for_writes() noexcept { memory_.pages().wait_for_writes(); }
  /// By which rules pages of these arrays get their nodes. Throws: nearfork::error if the machine has other nodes.
  void apply(const page_placing& how, const machine& where, const machine_model& model,
             std::span<const data_array> arrays);

  // --- where data lie when plans say so ---
  /// What bring() did.
  struct brought {
    std::uint64_t moved = 0;  // pages
    bool in_place = true;     // nothing remains to be done
    std::uint64_t ended_ps = 0;
  };
  /// Does with the pages that follow plans what `step` says. The worker moves them from `now_ps` on, `most` at a time.
  /// `nodes`: by domain.
  brought bring(const data_step& step, std::span<const std::uint16_t> nodes, std::uint32_t worker, std::uint64_t now_ps,
                std::uint64_t most);

  /// What to count in an iteration beside its costs.
  struct counted {
    bool heat = false;      // of pages, for gauged()
    bool locality = false;  // of tasks' reads, for reads()
  };
  /// Caches stay as they are; what was counted of tasks and workers is forgotten.
  void begin_iteration(std::size_t tasks, counted also);
  void end_iteration();

  /// The worker begins a stretch of a task.
  void begin(std::uint32_t worker, tree_node task, const stretch& work);
  /// Another worker goes on with the stretch.
  void move(std::uint32_t from, std::uint32_t to) noexcept;
  /// Returns when the slice, which starts at `now_ps`, is over.
  std::uint64_t run_slice(std::uint32_t worker, std::uint64_t now_ps);
  /// True if what slices look at is more than the host's caches hold.
  [[nodiscard]] bool prefetches() const noexcept { return memory_.prefetches(); }
  /// Asks the host for what the worker's slice looks at first; and before that for what says where that is.
  void prefetch_slice(std::uint32_t worker) const noexcept {
    const progress& at = workers_[worker];
    if (at.lines_left == 0) return;
    memory_.prefetch(at.core, at.next_line, std::min(at.access_lines_left, lines_of_slice_), at.accesses.front().kind);
    __builtin_prefetch(&own_ps_[index_of(at.task)], 1);
    __builtin_prefetch(&costs_[index_of(at.task)], 1);
    pace_.prefetch(worker);
  }
  void prefetch_worker(std::uint32_t worker) const noexcept {
    const auto* const at = reinterpret_cast<const std::byte*>(&workers_[worker]);
    for (std::size_t from = 0; from < sizeof(progress); from += 64) __builtin_prefetch(at + from, 1);
    __builtin_prefetch(&stalls_[worker], 1);
    __builtin_prefetch(&busy_ps_[worker], 1);
    memory_.prefetch_paths_of(pace_.core_of(worker));
  }
  /// The worker's stretch: no slice of it is left.
  [[nodiscard]] bool is_over(std::uint32_t worker) const noexcept { return workers_[worker].lines_left == 0; }

  // --- the pace ---
  /// The worker has a task from now on; or has none.
  void begin_work(std::uint32_t worker, std::uint64_t now_ps) { pace_.begin_work(worker, now_ps); }
  void end_work(std::uint32_t worker, std::uint64_t now_ps) { pace_.end_work(worker, now_ps); }
  /// Throws: nearfork::error if that is no clock for the core.
  void set_clock(core_id core, std::uint32_t mhz, std::uint64_t now_ps) { pace_.set_clock(core, mhz, now_ps); }
  /// True if slices end at other times than run_slice() said, because another thread of the core or a clock changed.
  [[nodiscard]] bool has_moved() const noexcept { return pace_.has_moved(); }
  /// These slices.
  [[nodiscard]] std::vector<moved_end> take_moved();
  [[nodiscard]] const core_pace& pace() const noexcept { return pace_; }

  /// What computation takes longer on this worker's core than a program says.
  [[nodiscard]] double slowness(std::uint32_t worker) const noexcept { return workers_[worker].slowness; }
  /// The same on the slowest worker; at least 1.
  [[nodiscard]] double most_slowness() const noexcept;

  // --- accounts ---
  /// In lines of the machine.
  [[nodiscard]] memory_counts counts() const noexcept { return memory_.counts() * line_stands_for_; }
  /// By node, since time 0.
  [[nodiscard]] const std::vector<std::uint64_t>& served_lines() const noexcept { return memory_.served_lines(); }
  /// Since time 0.
  [[nodiscard]] const page_map& page_places() const noexcept { return memory_.pages(); }
  [[nodiscard]] const page_counts& pages() const noexcept { return memory_.pages().counts(); }
  [[nodiscard]] std::uint64_t page_bytes() const noexcept { return memory_.page_bytes(); }
  [[nodiscard]] std::uint64_t followed_bytes() const noexcept;
  [[nodiscard]] std::uint32_t line_bytes() const noexcept { return memory_.line_bytes(); }
  /// By worker, since the iteration began.
  [[nodiscard]] const std::vector<std::uint64_t>& busy_ps() const noexcept { return busy_ps_; }
  /// By worker, of busy_ps(): beyond what computation and private caches take. If the pace of a core changes in a
  /// slice, the stall of the slice grows like the slice.
  [[nodiscard]] std::vector<std::uint64_t> stall_ps() const;
  /// Since the iteration began; what was taken is not told again.
  [[nodiscard]] std::vector<core_work> take_core_work() { return pace_.take_work(); }
  /// By task, after end_iteration(); bytes are those of lines that missed all private caches.
  [[nodiscard]] std::span<const task_cost> costs() const noexcept { return costs_; }
  /// Of lines, from memory of the worker's own domain and of others.
  struct reads_of_task {
    std::uint64_t local = 0;
    std::uint64_t remote = 0;
  };
  /// By task; empty if they were not counted.
  [[nodiscard]] std::span<const reads_of_task> reads() const noexcept { return reads_; }
  /// How hot the data are that follow plans; no chunks if that was not counted.
  [[nodiscard]] gauging gauged() { return memory_.heat().gauged(followed_.arrays(), memory_.pages()); }

 private:
  void count_reads(tree_node task, std::uint64_t local_before, std::uint64_t remote_before);

  /// How far a worker is with the stretch that it works on.
  struct progress {
    core_id core{};
    double slowness = 1;       // what computation takes longer than its program says
    tree_node task = no_node;  // the last one that it worked on
    std::span<const data_access> accesses{};
    std::uint32_t next_line = 0;
    std::uint32_t access_lines_left = 0;
    std::uint64_t lines_left = 0;
    std::uint64_t compute_ps_left = 0;
    std::uint64_t compute_ps_per_line = 0;
  };

  struct line_range {
    std::uint32_t first;
    std::uint32_t count;
  };

  [[nodiscard]] std::uint64_t line_of(std::uint64_t byte) const noexcept {
    return line_shift_ != 0 ? byte >> line_shift_ : byte / memory_.line_bytes();
  }
  [[nodiscard]] line_range lines_of(const data_access& access) const noexcept;
  void begin_access(progress& at) const;
  void look_ahead(const progress& at) const noexcept;
  std::uint64_t touch_lines(progress& at, std::uint32_t most, std::uint32_t& touched, slice_cost& cost);
  void note_stall(std::uint32_t worker, std::uint64_t slice_ps, const slice_cost& cost);
  memory_toll touch_in_order(progress& at, access_order order, std::uint32_t most, std::uint32_t& touched);

  memory_hierarchy memory_;
  followed_pages followed_{};
  std::uint64_t move_page_ps_;  // for each page, beside the copy
  core_pace pace_;
  std::uint32_t line_shift_;  // from a byte to its line; 0: lines are no power of two
  std::uint32_t line_stands_for_;
  std::uint32_t lines_of_slice_;
  std::vector<progress> workers_;
  // The state of the present iteration:
  std::vector<std::uint64_t> busy_ps_;  // by worker
  struct stall {
    double sum_ps = 0;
    double part = 0;  // of the present slice
  };
  std::vector<stall> stalls_{};        // by worker
  std::vector<task_cost> costs_;       // by task
  std::vector<std::uint64_t> own_ps_;  // by task
  std::vector<reads_of_task> reads_;   // by task; empty: not counted
};

}  // namespace nearfork::sim
