// The scheduler: the workers of one runtime and what they share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/run_report.hpp>

#include "machine/model/machine.hpp"
#include "memory/system/region_memory.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/crew/worker_places.hpp"
#include "plan/plans/policy.hpp"
#include "plan/search/search_order.hpp"
#include "runtime/fibers/fiber_stack.hpp"
#include "runtime/lifetime/door.hpp"
#include "runtime/recording/graph_recorder.hpp"
#include "runtime/regions/region_table.hpp"
#include "runtime/workers/parking.hpp"
#include "runtime/workers/start_latch.hpp"
#include "runtime/workers/worker.hpp"
#include "sensors/miss_counter.hpp"

namespace nearfork {

/// The work meant for the cores of one last-level cache.
struct domain_state {
  work_pool high;
  work_pool low;
  seam::atomic<std::uint32_t> subtrees_in_progress{0};
  seam::atomic<std::int32_t> to_come{0};   // subtrees at home here that their forks have not sent yet
  seam::atomic<std::uint32_t> working{0};  // its workers that have work; counted where pools have conditions
};

class scheduler {
 public:
  scheduler(const config& settings, std::shared_ptr<const machine> where, std::unique_ptr<policy> how,
            std::shared_ptr<const miss_counting> counting = live_miss_counting(),
            region_memory* memory = nullptr);  // nullptr: the process's
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// From any thread. Throws: see visit.
  void inject(job& root);
  /// A suspended fiber of this scheduler goes on where a worker is free. From any thread.
  void make_ready(fiber& waiting);
  /// [P2] of parking.md: the next push of every owner is seen.
  void ask_everyone() noexcept;
  /// [D5] of deque.hpp: the next fork of every fiber that runs now looks whether it must stop. From any thread.
  void make_everyone_look() noexcept;
  /// A call from outside, for as long as it goes on. Throws nearfork::error in a child made by fork(), where the workers are
  /// missing, and once the scheduler is to be destroyed.
  class visit {
   public:
    explicit visit(scheduler& home);
    ~visit() { home_.door_.leave(); }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    scheduler& home_;
  };
  /// Returns when no visit goes on; none begins any more.
  void close() noexcept { door_.close(); }
  /// At exit: stops the workers if they have nothing to do. False: a visit or a task goes on, perhaps the one that calls.
  [[nodiscard]] bool try_end() noexcept;
  /// False in a child made by fork().
  [[nodiscard]] bool is_of_this_process() const noexcept;
  [[nodiscard]] bool runs_caller() const noexcept;
  [[nodiscard]] run_report report() const;
  /// Opens a miss counter and closes it again if the policy will ask for sizes: strict mode wants to know beforehand.
  void try_counting();

  // --- for workers ---
  [[nodiscard]] std::uint32_t worker_count() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] worker& worker_at(std::uint32_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] domain_state& domain_at(std::uint32_t index) noexcept { return *domains_[index]; }
  [[nodiscard]] std::uint32_t domain_count() const noexcept { return static_cast<std::uint32_t>(domains_.size()); }
  [[nodiscard]] const worker_layout& layout() const noexcept { return layout_; }
  /// Where free workers look; profiling iterations have an order of their own.
  [[nodiscard]] const search_order& order(phase now) const noexcept { return orders_[index_of(now)]; }
  [[nodiscard]] work_pool& injector() noexcept { return injector_; }
  [[nodiscard]] parking_lot& lot() noexcept { return lot_; }
  [[nodiscard]] stack_arena& stacks() noexcept { return stacks_; }
  [[nodiscard]] region_table& regions() noexcept { return regions_; }
  /// nullptr: nothing is recorded.
  [[nodiscard]] graph_recorder* recorder() const noexcept { return recorder_.get(); }
  [[nodiscard]] const miss_counting& counting() const noexcept { return *counting_; }
  /// config::pin_waits.
  [[nodiscard]] bool pins_waits() const noexcept { return carriers_ == carriers::own_threads; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(seam::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t spin_ns() const noexcept { return spin_ns_; }

  /// [P4] Work was published, somebody sleeps and nobody searches: wakes one worker, in the domain of
  /// `nearest` if one sleeps there.
  void notify_one(std::uint32_t nearest) noexcept;
  /// [P4] Work was put into a pool of `domain`. Where only some may take it, one of the domain is woken
  /// whoever else searches: the searchers may not be among them.
  void announce_in_pool(std::uint32_t domain) noexcept;

  /// After a switch, on the thread that goes on, if that is no worker's own: it is bound to the PU of the worker that it is now.
  void follow(const worker& self) const noexcept;

  /// A fiber that runs worker_loop when switched to; nullptr: no memory.
  [[nodiscard]] fiber* take_spare(worker& self) noexcept;
  void keep_spare(worker& self, fiber& spare) noexcept;

  /// `who` could not count misses: a degradation where the policy asks for sizes.
  void note_uncounted(const counting_refusal& refused, std::string who);

  scheduler* left_before = nullptr;  // of those that leave_to_the_system() has

  /// What the conditions of search steps are asked about.
  [[nodiscard]] searcher searcher_for(const worker& self) noexcept;
  /// A subtree keeps its domain busy while anybody there has work: `self` has some, or has none any more.
  void begin_work(worker& self) noexcept;
  void end_work(worker& self) noexcept;

 private:
  struct cold_spare {
    fiber* bare;
    stack_bounds stack;
  };

  void make_workers();
  void start_threads();
  void thread_main(worker& self) noexcept;
  void pin(worker& self);
  void note_missing_facts();
  void degrade(degradation fact);
  void add_workers(run_report& into) const;
  void add_counters(run_report& into) const;
  void add_fibers(run_report& into) const;
  void add_memory(run_report& into) const;
  void stop() noexcept;
  [[nodiscard]] bool becomes_idle() const noexcept;
  bool notify(std::uint32_t index) noexcept;
  bool notify_domain(std::uint32_t domain) noexcept;
  fiber* make_fiber() noexcept;
  [[nodiscard]] bool furnish(fiber& bare, stack_bounds stack) const noexcept;
  static void take_context(fiber& spare) noexcept;
  static void make_whole(fiber& zeroed) noexcept;
  fiber* take_common_spare() noexcept;
  bool keep_warm_in_common(fiber& spare) noexcept;
  void keep_cold(fiber& spare) noexcept;

  config settings_;
  const int process_;  // that it was started in
  door door_;
  seam::atomic<bool> visited_{false};
  std::shared_ptr<const machine> machine_;
  std::unique_ptr<policy> policy_;
  std::shared_ptr<const miss_counting> counting_;
  std::shared_ptr<const machine> scheduled_;  // machine_ as the policy sees it
  std::vector<worker_place> places_;
  std::shared_ptr<const machine> planned_for_;  // the domains in which there are workers
  std::array<search_order, phases> orders_;
  worker_layout layout_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::unique_ptr<domain_state>> domains_;
  work_pool injector_;
  parking_lot lot_;
  carriers carriers_;
  stack_arena stacks_;
  strict_memory strictness_;
  shortfall_teller shortfalls_;
  data_placing data_;
  region_table regions_;
  std::unique_ptr<graph_recorder> recorder_;
  bool pools_have_conditions_;
  std::uint64_t spin_ns_;
  seam::atomic<bool> stopping_{false};
  start_latch started_;

  mutable std::mutex spares_mutex_;
  std::vector<fiber*> fibers_;           // all that were made
  spare_list warm_spares_;               // what workers had too many of
  std::vector<cold_spare> cold_spares_;  // without pages, to be furnished anew

  mutable std::mutex facts_mutex_;
  std::string start_failure_;
  std::vector<worker_report> placements_;  // by worker: where, or why not
  std::vector<char> is_pinned_;            // by worker; written by it before its first fiber runs
  std::vector<degradation> degradations_;
};

/// With the machine and the policy that `settings` name. Throws nearfork::error where there are none such, and in
/// strict mode where anything had to be done with less than was asked for.
[[nodiscard]] std::unique_ptr<scheduler> make_scheduler(const config& settings);

}  // namespace nearfork
