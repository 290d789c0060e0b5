// The virtual workers, their deques and the pools of their domains; and the interpreter of the search order. The
// counterpart of src/runtime/workers/find_work.cpp, without time: the engine knows the costs of acts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/plans/fork_sending.hpp"
#include "plan/plans/policy.hpp"
#include "plan/profile/task_tree.hpp"
#include "plan/search/abundance.hpp"
#include "plan/search/index_set.hpp"
#include "plan/search/victim_order.hpp"

namespace nearfork::sim {

/// A stack that can be suspended, with the jobs forked on it. Numbers are dense and reused.
enum class fiber_id : std::uint32_t {};

/// A place where workers find work.
struct work_source {
  enum class kind : std::uint8_t { deque, high_pool, weak_pool, low_pool };
  static constexpr std::size_t kinds = 4;
  kind what = kind::deque;
  std::uint32_t index = 0;  // of the worker or of the domain
};

/// The result of a search.
struct found_work {
  tree_node task = no_node;
  work_source from{};
  std::uint32_t looks = 0;  // victims and pools that were found empty before
  [[nodiscard]] explicit operator bool() const noexcept { return task != no_node; }
};

class virtual_crew {
 public:
  using orders = std::array<search_order, phases>;
  virtual_crew(worker_layout layout, const orders& where, std::uint64_t seed);

  [[nodiscard]] const worker_layout& layout() const noexcept { return layout_; }
  /// Sets the kind of iteration that the conditions of steps ask about from now on.
  void begin_iteration(bool profiling, bool planned) noexcept {
    profiling_ = profiling;
    planned_ = planned;
  }
  /// plan::may_cross() of the present iteration.
  void let_cross(std::uint32_t domain, bool may) noexcept { domains_[domain].may_cross = may; }

  // --- jobs on fibers ---
  [[nodiscard]] fiber_id fiber_of(std::uint32_t worker) const noexcept { return present_[worker]; }
  void push(fiber_id on, tree_node job);
  /// Takes back the fiber's newest job, if it is `job`. False: `job` was stolen.
  [[nodiscard]] bool take_back(fiber_id on, tree_node job);
  /// The worker leaves its fiber, which waits, for a fresh one.
  void suspend(std::uint32_t worker);
  /// The worker leaves its empty fiber for one that waited. True: that fiber has jobs, which become visible again.
  bool resume(std::uint32_t worker, fiber_id waited);

  /// Each of them goes on on the other's fiber.
  void swap_fibers(std::uint32_t one, std::uint32_t other) noexcept;

  // --- pools ---
  work_source push(tree_node job, pool_target into);

  // --- searching ---
  enum class patience : std::uint8_t { searching, would_sleep };
  [[nodiscard]] found_work find_work(std::uint32_t worker, patience left = patience::searching);
  /// True if a step is for workers that would sleep.
  [[nodiscard]] bool has_last_looks() const noexcept { return has_last_looks_; }
  [[nodiscard]] bool work_in_sight(std::uint32_t worker);
  /// True if the worker's search would look at `source` now.
  [[nodiscard]] bool reaches(std::uint32_t worker, work_source source) const noexcept;
  /// True if the worker's domain has no job left, none of its subtrees is still to come, and a domain of the other side
  /// has jobs that are at home there.
  [[nodiscard]] bool wants_to_cross(std::uint32_t worker) const noexcept;
  [[nodiscard]] bool is_working(std::uint32_t worker) const noexcept { return workers_[worker].working; }
  /// The number of jobs in deques and pools.
  [[nodiscard]] std::uint64_t jobs() const noexcept { return jobs_; }

  // --- what keeps a domain busy ---
  void begin_work(std::uint32_t worker) noexcept;
  /// True: this was the last working worker of a domain with a subtree in progress. The domain is no longer busy.
  bool end_work(std::uint32_t worker) noexcept;
  void begin_subtree(std::uint32_t domain) noexcept { ++domains_[domain].load.subtrees_in_progress; }
  /// Sets how many subtrees homed in the domain have not reached its pool yet. count_off() counts one that has.
  void expect_subtrees(std::uint32_t domain, std::uint32_t subtrees) noexcept { domains_[domain].to_come = subtrees; }
  void count_off(std::uint32_t domain) noexcept {
    if (domains_[domain].to_come > 0) --domains_[domain].to_come;
  }
  void end_subtree(std::uint32_t domain) noexcept { --domains_[domain].load.subtrees_in_progress; }

  /// Random numbers for choices that no worker makes.
  [[nodiscard]] rng& chance() noexcept { return chance_; }

 private:
  using job_row = std::deque<tree_node>;
  struct virtual_worker {
    bool working = false;
    rng random;
    std::array<std::vector<victim_order>, phases> asks;  // by step of the phase's order
  };
  struct virtual_domain {
    std::array<job_row, work_source::kinds> pools;  // by kind of source; that of deques is unused
    domain_load load;
    std::uint32_t to_come = 0;
    bool may_cross = true;
  };
  static constexpr std::uint32_t nobody = 0xffffffff;

  [[nodiscard]] fiber_id spare_fiber();
  [[nodiscard]] job_row& jobs_of(fiber_id fiber) noexcept { return fibers_[static_cast<std::size_t>(fiber)]; }
  [[nodiscard]] job_row& jobs_at(work_source source) noexcept;
  [[nodiscard]] index_set& filled(work_source::kind what) noexcept { return filled_[static_cast<std::size_t>(what)]; }
  [[nodiscard]] const index_set& filled(work_source::kind what) const noexcept {
    return filled_[static_cast<std::size_t>(what)];
  }
  [[nodiscard]] bool is_filled(work_source source) const noexcept { return filled(source.what).contains(source.index); }
  void note_filled(work_source source) noexcept;
  /// The worker is on this fiber from now on.
  void board(std::uint32_t worker, fiber_id fiber) noexcept;
  /// In its deques and its high pool.
  [[nodiscard]] bool has_homed_jobs(std::uint32_t domain) const noexcept;
  [[nodiscard]] bool deque_is_empty(std::uint32_t worker) const noexcept {
    return !is_filled({work_source::kind::deque, worker});
  }
  [[nodiscard]] queues_seen queues() const noexcept;
  [[nodiscard]] searcher searcher_for(std::uint32_t worker, patience left = patience::searching) const noexcept;
  [[nodiscard]] phase now() const noexcept { return profiling_ ? phase::profiling : phase::running; }

  template <class Act>
  bool any_step(std::uint32_t worker, patience left, const Act& act) const;
  bool take_step(const search_step& step, const victim_order& victims, std::uint32_t worker, found_work& into);
  bool take_from(work_source source, pool_item which, std::uint32_t worker, found_work& into);
  [[nodiscard]] bool sees_work(const search_step& step, const victim_order& victims, std::uint32_t worker);

  worker_layout layout_;
  orders orders_;
  std::vector<virtual_worker> workers_;
  std::vector<virtual_domain> domains_;
  std::vector<job_row> fibers_;
  std::vector<fiber_id> present_;           // by worker
  std::vector<std::uint32_t> worker_on_{};  // by fiber; nobody: it waits or is spare
  std::vector<fiber_id> spares_;
  /// By kind: the workers or domains that have jobs there. A search among a thousand workers looks at these alone:
  /// looking at each deque and pool took most of the time of short tasks on 64 domains of 16 cores.
  std::array<index_set, work_source::kinds> filled_;
  rng chance_;
  std::uint64_t jobs_ = 0;
  bool has_last_looks_;
  bool asks_for_abundance_;
  bool profiling_ = false;
  bool planned_ = false;
};

}  // namespace nearfork::sim
