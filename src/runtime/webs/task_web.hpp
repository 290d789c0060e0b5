// The tasks of one graph, who waits for whom, and which are ready. Knows no thread: the engine locks around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>
#include <nearfork/detail/dataflow/dataflow_argument.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/dataflow/task_layer.hpp>

#include "runtime/cells/data_cells.hpp"
#include "runtime/cells/link_store.hpp"
#include "runtime/cells/read_blocks.hpp"
#include "runtime/cells/tile_bands.hpp"
#include "runtime/webs/flow_record.hpp"
#include "runtime/webs/nested_scope.hpp"
#include "runtime/webs/ready_tasks.hpp"
#include "runtime/webs/replay_script.hpp"

namespace nearfork {

/// How a step of a task ended.
enum class task_end : std::uint8_t { well, failed, skipped };

class task_web {
 public:
  /// `reserve`: nullptr, or where memory comes from and goes to.
  explicit task_web(chunk_reserve* reserve = nullptr)
      : memory_(reserve),
        blocks_(memory_),
        links_(memory_),
        exclusions_(memory_),
        cell_store_(memory_),
        cells_(&copy_cut, this, cell_store_),
        bands_(memory_, known_) {}
  ~task_web() { forget_all(); }
  task_web(const task_web&) = delete;
  task_web& operator=(const task_web&) = delete;

  // --- tasks ---
  [[nodiscard]] block_store& blocks() noexcept { return blocks_; }
  /// For the layer above.
  [[nodiscard]] web_memory& memory() noexcept { return memory_; }
  /// Adds a task, which may be ready at once. The web owns its block from now on. Throws std::bad_alloc: then the task
  /// is in the web, and left out; or it will be skipped, if it names buffers or streams or has nested tasks. Check
  /// misuse() first.
  /// `parent`: nullptr, or the task that it is nested in. `own`: the memory node of the creator.
  void add(dataflow_task& one, std::span<const access> accesses, dataflow_task* parent = nullptr,
           std::uint32_t own = 0);
  /// The same for a task of the graph itself that touches the program's memory alone, without reductions.
  void add_plain(dataflow_task& one, std::span<const access> accesses);
  /// A tile of more pieces goes through misuse(), which takes longer.
  static constexpr std::size_t most_pieces_unchecked = std::size_t{1} << 20;
  /// The message of the error, if an access does not suit; else empty.
  [[nodiscard]] std::string misuse(const dataflow_task& one, std::span<const access> accesses,
                                   detail::graph_id graph) const;
  /// The same for what the parent of a nested task must have named.
  [[nodiscard]] std::string misuse_of_parent(const dataflow_task& one, std::span<const access> accesses,
                                             dataflow_task& parent) const;
  /// The next task for worker `who` of all that run the graph; nullptr: none is ready.
  [[nodiscard]] dataflow_task* take_ready(worker_rank who = {}) noexcept { return ready_.take(who); }
  /// Puts a task back that take_activated() gave: it has no place.
  void put_ready(dataflow_task& one) noexcept { ready_.add(one, turn::last); }
  /// Tasks with a flow_record that have become ready, linked by `next`, the first one first: where they run is to be
  /// chosen. `count`: how many.
  [[nodiscard]] dataflow_task* take_activated(std::uint32_t& count) noexcept;
  [[nodiscard]] bool has_ready() const noexcept { return ready_.has_some(); }
  [[nodiscard]] std::size_t ready() const noexcept { return ready_.count(); }
  /// Call it when a step of a task that take_ready() gave has ended. Its block may be gone afterwards.
  void end(dataflow_task& one, task_end how) noexcept;
  /// Tasks that are added and have not ended.
  [[nodiscard]] std::size_t unfinished() const noexcept { return unfinished_; }
  /// Since all was forgotten.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// In all.
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }
  /// Pieces of the program's memory that it keeps tasks for. Pieces of tasks that are over go when there are many.
  [[nodiscard]] std::size_t cells() const noexcept { return cells_.size(); }
  [[nodiscard]] std::size_t bands() const noexcept { return bands_.size(); }

  /// Buffers that nobody holds any more, linked by `next_ended`. Destroy them without the lock.
  [[nodiscard]] detail::buffer_state* take_ended_buffers() noexcept { return std::exchange(ended_buffers_, nullptr); }

  // --- graphs that are kept ---
  /// Tasks that are added from now on are kept in `script` until give_up().
  void keep_in(replay_script& script) noexcept {
    script_ = &script;
    note_in(script);
  }
  /// The graph, or a replay, has been waited for. Call it after forget_all().
  void keep_no_more() noexcept {
    script_ = nullptr;
    notes_ = nullptr;
    replays_ = false;
  }
  /// Tasks that are added from now on, and what they depend on, are noted until keep_no_more(). Call it before the
  /// first task since a wait.
  void note_in(task_notes& notes) noexcept {
    notes_ = &notes;
    if (++part_ == 0) ++part_;
  }
  /// The tasks that exclude each other by `what` are still of interest when they have ended: let_go_of() it later.
  static void hold(exclusion& what) noexcept { ++what.users; }
  void let_go_of(exclusion& what) noexcept;
  /// Starts the tasks of a prepared script again.
  void begin_replay(replay_script& of) noexcept;
  /// A task of a replay waits for nothing any more.
  void start_again(dataflow_task& one) noexcept { start(one, turn::next); }

  /// The script keeps the block and the closure of the task.
  [[nodiscard]] bool is_in_script(const dataflow_task& one) const noexcept {
    return script_ != nullptr && one.place != task_notes::nowhere;
  }

  /// What a task hands on by buffers when it ends in a replay.
  static void note_buffers(dataflow_task& one) noexcept;
  /// Gives back the tasks of a script. The caller has dropped the closures and let_go_of_buffers() before.
  void give_up(const replay_script& of) noexcept;
  static void let_go_of_buffers(dataflow_task& one) noexcept;

  // --- for the layer above ---
  /// nullptr: the graph has none yet. Without the lock for a task that has a part of the layer alone: then it is there,
  /// and does not change.
  [[nodiscard]] detail::task_layer* layer() const noexcept { return layer_.get(); }
  void set_layer(std::unique_ptr<detail::task_layer> made) noexcept { layer_ = std::move(made); }
  /// `one` runs after `on`, and is skipped if that fails. Throws std::bad_alloc.
  void depend(dataflow_task& one, dataflow_task& on);
  /// How the notes will know the task when it is gone.
  [[nodiscard]] detail::noted_task noted(const dataflow_task& one) const noexcept {
    return {.part = notes_ == nullptr ? 0 : part_, .place = one.place};
  }
  /// `one` runs after a task that has ended. Throws std::bad_alloc.
  void note_dependence(const dataflow_task& one, const detail::noted_task& on) {
    if (notes_ != nullptr && on.part == part_) [[unlikely]]
      notes_->add_dependence(one.place, on.place);
  }
  /// The task does not start before it is released as often as it was held.
  static void hold(dataflow_task& one) noexcept { ++one.pending; }
  void release(dataflow_task& one) noexcept {
    if (--one.pending == 0) start(one, turn::last);
  }

  // --- when nothing runs and nothing is ready ---
  /// Why the tasks that are left can never run. Throws std::bad_alloc.
  [[nodiscard]] std::string why_stuck() const;
  /// All tasks that are left. The caller drops their closures, without the lock, and then calls end_stuck().
  [[nodiscard]] std::vector<dataflow_task*> stuck_tasks() const;
  void end_stuck(const std::vector<dataflow_task*>& all) noexcept;
  /// No task that comes later depends on what has happened so far.
  void forget_all() noexcept;

 private:
  using turn = ready_tasks::turn;

  /// A task that is being added has one dependence more, so that no task that ends meanwhile starts it.
  struct started_at_end {
    task_web& web;
    dataflow_task& one;
    ~started_at_end() {
      if (--one.pending == 0) web.start(one, turn::last);
    }
  };
  /// tiles.cpp: in the cells of the graph and of all scopes that are open.
  struct known_in_cells final : known_ranges {
    explicit known_in_cells(task_web& of) noexcept : web(of) {}
    void copy(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t to) override;
    void settle(std::uintptr_t begin, std::uintptr_t end) override;
    void add_borders(std::uintptr_t begin, std::uintptr_t end, std::vector<std::uintptr_t>& to) const override;
    [[nodiscard]] std::size_t count(std::uintptr_t begin, std::uintptr_t end, std::size_t most) const noexcept override;
    void forget(std::uintptr_t begin, std::uintptr_t end) noexcept override;
    template <class Use>
    void for_each_cells(const Use& use) const;
    task_web& web;
  };
  static void copy_cut(void* self, data_cell& from, data_cell& to);
  void copy_kept(data_cell& from, data_cell& to);
  void end_incomplete(dataflow_task& one, std::span<const access> accesses) noexcept;
  /// A task without a body, with the place and the priority of `like`; it does not start before the caller lets it.
  end_task& make_end(const dataflow_task& like);

  void depend_on_memory(dataflow_task& one, const detail::access_parts& what);
  void depend_on_pieces(dataflow_task& one, const detail::access_parts& what);
  void depend_by_bands(dataflow_task& one, const detail::access_parts& what);
  void depend_on_piece(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const detail::access_parts& what);
  /// How a read of a long range looks at it, and opens it for nested tasks.
  enum class opening : std::uint8_t { blocks, cells };
  void depend_on_range(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const detail::access_parts& what,
                       opening by);
  void depend_on_cell(dataflow_task& one, data_cell& cell, const detail::access_parts& what);
  // read_blocks.cpp
  /// Lists with more tasks get an end, if many tasks may wait for them. To wait for a task takes 10 ns, and a task
  /// without a body 60.
  static constexpr std::uint32_t most_others = 8;
  void join_others(kept_tasks& list, std::uint32_t least = most_others);
  void keep_all(kept_tasks& list, const kept_tasks& more);
  [[nodiscard]] bool visits_too_many(std::size_t cells) noexcept;
  void take_over_readers(data_cell& cell);
  void note_change(const data_cell& cell, dataflow_task& one);
  void read_whole(dataflow_task& one, read_block& what);
  read_block& block_at(const block_place& place, dataflow_task& reader);
  void read_cells(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const detail::access_parts& what);
  void read_range(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end, const detail::access_parts& what);
  void update_range(dataflow_task& one, const std::vector<data_cell*>& cells, const detail::access_parts& what);
  void forget(read_block& one) noexcept;
  void forget_blocks(data_cells& of) noexcept;
  void drop_idle_blocks() noexcept;
  // nested_tasks.cpp
  void add_parent(dataflow_task& one, std::span<const access> accesses);
  void open_cell(data_cell& around, const detail::access_parts& what);
  void open_block(const read_block& around, std::uintptr_t end);
  void depend_on_opened_read(dataflow_task& one, std::uintptr_t begin, std::uintptr_t end,
                             const detail::access_parts& what);
  void hold_open(nested_scope& around, dataflow_task& one, std::span<const access> accesses);
  void depend_in_parent(const kept_tasks& others);
  void end_scope(dataflow_task& one) noexcept;

  void read_buffer(dataflow_task& one, detail::buffer_state& what);
  void write_buffer(dataflow_task& one, detail::dataflow_argument& what);
  void copy_for(dataflow_task& one, std::size_t index, const detail::access_parts& what);
  void depend_on_all(dataflow_task& one, const kept_tasks& others);

  void keep(kept_tasks& list, dataflow_task& one);
  void keep_also(kept_tasks& list);
  void let_go(kept_tasks& list) noexcept;
  void let_go_of_others(kept_tasks& list) noexcept;
  void let_go_of(data_cell& cell) noexcept;
  void prune(kept_tasks& list) noexcept;
  void let_go(dataflow_task& one) noexcept;
  [[nodiscard]] bool is_over(const dataflow_task& one) const noexcept;
  [[nodiscard]] kept_tasks copy_of(const kept_tasks& list);

  void exclude(dataflow_task& one, exclusion& what);
  void let_go(exclusion* what) noexcept;
  [[nodiscard]] static bool can_exclude(const dataflow_task& one) noexcept;
  [[nodiscard]] static bool try_exclude(dataflow_task& one) noexcept;
  void end_exclusions(dataflow_task& one) noexcept;
  void start_waiting(exclusion& what) noexcept;
  void forget_exclusions(dataflow_task& one) noexcept;

  void become_ready(dataflow_task& one, turn when) noexcept;
  void start(dataflow_task& one, turn when) noexcept;
  void finish(dataflow_task& one) noexcept;
  void end_arguments(dataflow_task& one) noexcept;
  void end_copy(detail::dataflow_argument& what) noexcept;
  [[nodiscard]] detail::shared_copies* copies_for(const detail::reduction_copy& made, const detail::access_parts& what);
  [[nodiscard]] static bool leave_copies(dataflow_task& one) noexcept;
  [[nodiscard]] bool try_fold_at_once(dataflow_task& one) const noexcept;
  static void fold_for_others(dataflow_task& one) noexcept;
  void open(detail::buffer_state& one) noexcept;
  static void close(detail::buffer_state& one) noexcept;
  [[nodiscard]] bool is_idle(const kept_tasks& list) const noexcept;
  void purge() noexcept;
  void forget(data_cells& of) noexcept;

  web_memory memory_;
  block_store blocks_;
  link_store<task_link> links_;
  link_store<exclusion_link> exclusions_;
  cell_store cell_store_;
  data_cells cells_;
  known_in_cells known_{*this};
  tile_bands bands_;
  nested_scope* open_scopes_ = nullptr;
  std::size_t purge_at_ = 1024;
  std::uint64_t ended_at_purge_ = 0;
  ready_tasks ready_;
  dataflow_task* first_activated_ = nullptr;
  dataflow_task* last_activated_ = nullptr;
  std::uint32_t activated_ = 0;
  std::size_t unfinished_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t visited_ = 0;        // cells, by accesses of many cells at once
  std::size_t cells_of_access_ = 0;  // that were visited
  detail::buffer_state* open_buffers_ = nullptr;
  detail::buffer_state* ended_buffers_ = nullptr;
  replay_script* script_ = nullptr;  // of the tasks that are added, or run again
  task_notes* notes_ = nullptr;      // of the tasks that are added: the script, or for a recording
  std::uint32_t part_ = 0;           // counts the parts that were noted, and is not 0 then
  bool replays_ = false;
  // While a task is added.
  const dataflow_task* adding_ = nullptr;
  data_cells* now_ = &cells_;                      // of the graph, or those that its parent's accesses opened
  nested_scope* opened_ = nullptr;                 // by a task that is going to have nested tasks
  const access_ranges* opened_changes_ = nullptr;  // what that task changes
  dataflow_task* waits_ = nullptr;                 // that task, if the access is not weak
  std::unique_ptr<detail::task_layer> layer_;
};

// --- what cells keep ---

inline void task_web::keep(kept_tasks& list, dataflow_task& one) {
  if (list.newest == &one) return;
  if (list.newest != nullptr) keep_also(list);
  list.newest = &one;
  ++one.holders;
}

inline void task_web::let_go(kept_tasks& list) noexcept {
  if (list.newest == nullptr) return;
  let_go(*std::exchange(list.newest, nullptr));
  if (list.others != nullptr) let_go_of_others(list);
}

inline void task_web::let_go(exclusion* what) noexcept {
  if (what != nullptr && --what->users == 0) delete what;
}

inline void task_web::let_go(dataflow_task& one) noexcept {
  if (--one.holders == 0 && one.is_done() && !is_in_script(one)) blocks_.give(&one, block_bytes_of(one));
}

}  // namespace nearfork
