// The crew: the workers of one runtime, the work that they share, and how they wake each other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/plans/policy.hpp"
#include "plan/search/search_order.hpp"
#include "runtime/counters/uncounted_misses.hpp"
#include "runtime/fibers/fiber_supply.hpp"
#include "runtime/protocols/door.hpp"
#include "runtime/protocols/parking.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork {

class region_table;
class graph_recorder;

/// The work meant for the cores of one last-level cache.
struct domain_state {
  work_pool high;
  work_pool low;
  seam::atomic<std::uint32_t> subtrees_in_progress{0};
  seam::atomic<std::int32_t> to_come{0};   // subtrees homed here that their forks have not sent yet
  seam::atomic<std::uint32_t> working{0};  // workers that have work; counted if pools have conditions
};

/// How many iterations are in progress, over all regions. Racy: only economy depends on the counts.
struct iterations_in_progress {
  seam::atomic<std::uint32_t> profiling{0};
  seam::atomic<std::uint32_t> planned{0};  // under a plan that is not empty
};

/// Where the forks of a runtime's tasks may write. Workers and searches do not look at the books.
struct task_books {
  region_table* regions = nullptr;
  graph_recorder* recorder = nullptr;  // nullptr: nothing is recorded
};

class crew {
 public:
  struct rules {
    worker_layout layout;
    std::array<search_order, phases>
        orders;  // where free workers look; profiling iterations have an order of their own
    std::uint32_t most_searching;
    std::uint64_t spin_ns;
    std::uint64_t seed;
    std::size_t stack_bytes;
    carriers by;
    const miss_counting* counting;
  };
  explicit crew(rules how);
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  // --- for calls from outside ---
  /// Called from any thread. Throws as visit does.
  void inject(job& root);
  /// Lets a suspended fiber of this crew go on where a worker is free: suspension.md. Called from any thread. Throws
  /// std::bad_alloc.
  void make_ready(fiber& waiting);
  /// make_ready() by a worker whose job has ended and returns to the worker's loop at once. The worker itself goes on
  /// with a fiber of its own crew [S5].
  static void ready_at_end(worker& ending, fiber& waiting);
  /// [D5] of deque.hpp: the next fork of every fiber that runs now checks whether the fiber must stop. Called from any
  /// thread.
  void make_everyone_look() noexcept;
  /// Lives as long as a call from outside. Throws nearfork::error in a child made by fork(), where the workers are
  /// missing, and once the crew is to be destroyed.
  class visit {
   public:
    explicit visit(crew& home);
    ~visit() { home_.entrance_.leave(); }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    crew& home_;
  };
  [[nodiscard]] door& entrance() noexcept { return entrance_; }
  /// False in a child made by fork().
  [[nodiscard]] bool is_of_this_process() const noexcept;
  [[nodiscard]] bool runs_caller() const noexcept;
  /// Waits up to a second. False: some worker has work.
  [[nodiscard]] bool becomes_idle() const noexcept;
  /// Workers leave their loops as soon as they look for work. Wakes those that sleep.
  void stop() noexcept;

  // --- for workers ---
  [[nodiscard]] std::uint32_t worker_count() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] worker& worker_at(std::uint32_t index) const noexcept { return *workers_[index]; }
  [[nodiscard]] domain_state& domain_at(std::uint32_t index) noexcept { return *domains_[index]; }
  [[nodiscard]] std::uint32_t domain_count() const noexcept { return static_cast<std::uint32_t>(domains_.size()); }
  [[nodiscard]] const worker_layout& layout() const noexcept { return rules_.layout; }
  [[nodiscard]] const search_order& order(phase now) const noexcept { return rules_.orders[index_of(now)]; }
  [[nodiscard]] work_pool& injector() noexcept { return injector_; }
  // For make_ready_in().
  [[nodiscard]] std::uint32_t nearest_to(const fiber& waiting) const noexcept;
  void push_ready(fiber& waiting) { injector_.push({.go_on = &waiting}); }
  [[nodiscard]] parking_lot& lot() noexcept { return lot_; }
  [[nodiscard]] fiber_supply& fibers() noexcept { return fibers_; }
  [[nodiscard]] const fiber_supply& fibers() const noexcept { return fibers_; }
  [[nodiscard]] iterations_in_progress& iterations() noexcept { return iterations_; }
  [[nodiscard]] uncounted_misses& uncounted() noexcept { return uncounted_; }
  [[nodiscard]] const uncounted_misses& uncounted() const noexcept { return uncounted_; }
  [[nodiscard]] const miss_counting& counting() const noexcept { return *rules_.counting; }
  /// config::pin_waits.
  [[nodiscard]] bool pins_waits() const noexcept { return rules_.by == carriers::own_threads; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(seam::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t spin_ns() const noexcept { return rules_.spin_ns; }

  /// [P2] of parking.md: makes the next push of every owner slow, so that the push publishes.
  void ask_everyone() noexcept;
  /// [P4] Work was published, a worker sleeps and none searches: wakes one worker, in the domain of `nearest` if one
  /// sleeps there.
  void notify_one(std::uint32_t nearest) noexcept;
  /// [P4] Work was put into a pool of `domain`. If only some workers may take the work, wakes a worker of the domain
  /// even if others search: those others may not be allowed to take it.
  void announce_in_pool(std::uint32_t domain) noexcept;

  /// The facts that the conditions of search steps test.
  [[nodiscard]] searcher searcher_for(const worker& self) noexcept;
  /// `self` has work, or has none any more. A subtree keeps its domain busy while any worker there has work.
  void begin_work(worker& self) noexcept;
  void end_work(worker& self) noexcept;

  /// A fiber that runs worker_loop when switched to; nullptr: no memory.
  [[nodiscard]] fiber* take_spare(worker& self) noexcept { return fibers_.take(self.spares); }
  void keep_spare(worker& self, fiber& spare) noexcept { fibers_.keep(self.spares, spare); }

  /// Notes that `self` is bound to `pu`. Called by the worker's own thread, before its first fiber runs.
  void note_pin(const worker& self, os_index pu) noexcept;
  /// Called after a switch, on the thread that goes on. A fiber's own thread is bound to the PU of the worker that it
  /// now runs for.
  void follow(const worker& self) const noexcept;

  // --- for forks and regions ---
  [[nodiscard]] task_books& books() noexcept { return books_; }
  [[nodiscard]] region_table& regions() noexcept { return *books_.regions; }
  /// nullptr: nothing is recorded.
  [[nodiscard]] graph_recorder* recorder() const noexcept { return books_.recorder; }

 private:
  bool notify(std::uint32_t index) noexcept;
  bool notify_domain(std::uint32_t domain) noexcept;

  const rules rules_;
  const bool pools_have_conditions_;
  const int process_;  // the process that the crew was started in
  door entrance_;
  seam::atomic<bool> visited_{false};
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::unique_ptr<domain_state>> domains_;
  work_pool injector_;
  parking_lot lot_;
  fiber_supply fibers_;
  iterations_in_progress iterations_;
  uncounted_misses uncounted_;
  task_books books_;
  std::vector<std::optional<os_index>> pins_;  // by worker
  seam::atomic<bool> stopping_{false};
};

}  // namespace nearfork
