// A worker: one thread of the runtime, the fiber that it runs, its spares, its counters.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/run_report.hpp>

#include "base/rng.hpp"
#include "memory/allocation/spare_blocks.hpp"
#include "plan/plans/policy.hpp"
#include "plan/search/victim_order.hpp"
#include "runtime/counters/counters.hpp"
#include "runtime/counters/latency_record.hpp"
#include "runtime/counters/wait_clock.hpp"
#include "runtime/counters/worker_stalls.hpp"
#include "runtime/fibers/fiber_context.hpp"
#include "runtime/fibers/spare_list.hpp"
#include "runtime/fibers/stack_overflow.hpp"
#include "runtime/protocols/bounded_mailbox.hpp"
#include "runtime/protocols/homecoming.hpp"
#include "runtime/protocols/lent_memory.hpp"
#include "runtime/protocols/task_mailbox.hpp"
#include "runtime/trials/short_loops.hpp"
#include "runtime/wakes/woken_apart.hpp"
#include "runtime/workers/coarse_tasks.hpp"
#include "runtime/workers/work_pool.hpp"
#include "runtime/workers/worker_misses.hpp"
#include "trace/event_ring.hpp"

namespace nearfork::detail {
struct worker;
}

namespace nearfork {

class crew;
struct outside_lane;

/// What must happen once the fiber that was left is off its stack; done by the fiber that was switched to.
struct after_switch {
  enum class act : std::uint8_t { nothing, keep_as_spare, wait_for_job, send_to_domain, give_to_worker };
  act what = act::nothing;
  detail::fiber* left = nullptr;
  detail::job* waited = nullptr;
  std::uint32_t to = 0;  // the domain, or the worker
};

/// A deque whose private jobs a thief is about to share by force.
struct demand {
  detail::worker* victim = nullptr;      // nullptr: a lane, whose owner is no worker
  const detail::fiber* owner = nullptr;  // nullptr: a lane
  detail::deque* jobs = nullptr;
  coarse_tasks* of_owner = nullptr;
  detail::shared_range seen{};
};

/// Which mail of other workers a worker takes: what its owner has opened; also what arrived since, if the owner is in a
/// task; or all.
enum class mail_taken : std::uint8_t { open, of_busy_owners, all };

/// Written by its worker, read by reports.
struct worker_counters {
  std::array<counter, steal_distances> steals;  // by distance
  counter steals_between_domains;               // steals from victims in other domains
  counter wanted_crossings;                     // as in iteration_summary
  counter failed_steals;
  counter mugs;    // tasks that this worker took over from workers on slower cores
  counter forced;  // deques whose private jobs this worker shared by force
  counter publications;
  counter pool_items;
  counter mail;        // tasks from this worker's own mailbox
  counter robbed;      // tasks from other workers' mailboxes
  counter robbed_far;  // of these, from workers beside another memory node
  counter roots;
  counter on_callers;  // of the roots, those that began on the caller's thread
  counter injected;    // taken from the injector; for busy_crew
  counter suspensions;
  counter waits_in_place;  // for want of a stack
  counter parks;
};

}  // namespace nearfork

namespace nearfork::detail {

struct deputy;

struct alignas(cache_line_bytes) worker {
  worker(crew& home_, std::uint32_t index_, std::uint32_t domain_, rng random_, std::uint32_t mailbox_room)
      : pushed(mailbox_room), home(home_), index(index_), domain(domain_), random(random_) {}

  /// What the handler of stack overflows reads on this worker's thread.
  [[nodiscard]] overflow_watch watched() const noexcept { return {&present, &after.left, index}; }

  /// Notes an event if the runtime is traced.
  void note(const traces::event& what) noexcept {
    if (ring != nullptr) [[unlikely]]
      ring->note(what);
  }

  /// By the worker's own thread, where it does not matter that this takes a microsecond.
  void note_stalls() noexcept {
    if (const auto stalled = stalls.read_ns())
      note({.value = std::bit_cast<std::uint64_t>(static_cast<double>(*stalled)),
            .name = stalls.name(),
            .kind = traces::event_kind::counts});
  }

  /// Whether the trace tells of the task that begins: of one task of so many.
  [[nodiscard]] bool traces_task() noexcept {
    if (task_sampling == 0) [[likely]]
      return false;
    return ++tasks_seen % task_sampling == 0;
  }

  // Read by thieves.
  seam::atomic<fiber*> present{nullptr};  // the fiber that runs here
  seam::atomic<int> carrier{0};           // the thread that it runs on; 0: none yet. For thieves and blocked_crew.hpp
  lent_memory<unsigned> uncaught;         // how many exceptions are in flight on that thread
  seam::atomic<outside_lane*> lane{nullptr};  // its jobs run here: it has older ones than the deque of `present`

  task_mailbox<fiber> mailbox;
  homecoming<fiber> home_place;
  bounded_mailbox<job> pushed;  // dataflow tasks, where workers are beside several memory nodes

  // Used by the worker alone from here on.
  alignas(cache_line_bytes) crew& home;
  const std::uint32_t index;
  const std::uint32_t domain;
  rng random;
  std::array<std::vector<victim_order>, phases> asks;  // whom to ask, by step of each search order
  std::vector<worker*> slower;                         // the workers on slower cores, near ones first, if tasks move
  victim_order others{{}, victim_spread::random};      // whose mail to take, near ones first
  mail_taken takes_mail = mail_taken::open;
  worker* asked = nullptr;      // of these, the one whose task this worker would take over
  std::vector<demand> demands;  // made by open_by_force(), without allocation
  bool working = false;         // counted in domain_state::working
  bool would_sleep = false;     // the worker has searched in vain and is about to park
  bool ended_call = false;      // of a thread that found no place; it needs none if it calls again and finds one
  after_switch after;
  deputy* standing_in = nullptr;  // the thread that runs in this worker's place
  fiber* resume_next = nullptr;   // its awaited job ended here: it is resumed as soon as the stack is free
  work_item found_at_join;        // by a task that waits: it is begun as soon as that task is off its stack
  spare_list spares;              // suspended in worker_loop, or fresh
  short_loops loops;
  coarse_tasks coarse;
  coarse_spawns spawned_beyond_deque;
  taken_tasks taken_at_a_time;
  spare_blocks task_blocks;              // of tasks that ended here
  std::uint64_t searching_since_ns = 0;  // 0: it has not asked others for work yet
  fiber_context thread_stack;
  worker_misses misses;
  worker_stalls stalls;                // counted in traced runtimes alone
  traces::event_ring* ring = nullptr;  // nullptr: the runtime is not traced
  std::uint32_t task_sampling = 0;     // config::trace_tasks
  std::uint32_t tasks_seen = 0;        // while there is sampling

  worker_counters counters;
  wait_clock waits;
  latency_record steal_latency;
  latency_record wake_latency;
  seam::atomic<std::uint64_t> notified_at_ns{0};
  apart_sleeper sleeper;  // the worker's own thread
  std::thread thread;
};

}  // namespace nearfork::detail

namespace nearfork {
using detail::fiber;
using detail::job;
using detail::slot;
using detail::steal_outcome;
using detail::steal_result;
using detail::worker;
}  // namespace nearfork
