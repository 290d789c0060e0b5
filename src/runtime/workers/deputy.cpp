#include "runtime/workers/deputy.hpp"

#include <new>
#include <utility>
#include <vector>

#include "base/monotonic_clock.hpp"
#include "base/process_number.hpp"
#include "base/threads/thread_object.hpp"
#include "machine/live/affinity.hpp"
#include "machine/live/pinning.hpp"
#include "runtime/clocks/worker_clocks.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/fibers/stack_overflow.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/idling.hpp"
#include "runtime/workers/switching.hpp"

namespace nearfork {

using detail::deputy;

namespace {

/// How the counts of parking.md know a place.
enum class counted : std::uint8_t { as_sleeping, as_searching, as_active };

/// A place, and where the calling thread could run before it took the place.
struct borrowed_place {
  worker* place = nullptr;
  counted is = counted::as_sleeping;
  std::vector<unsigned long> affinity_before = {};  // empty: the thread was not bound
};

constinit thread_local bool thread_is_over = false;

/// What a calling thread keeps to its end.
struct calling_thread {
  overflow_stack for_handler;  // fibers run here
  crew* keeps_place_of = nullptr;
  borrowed_place kept;  // by an earlier call
  own_process process;  // in which `number` is the thread's: it has another one in a fork()'s child
  int number = thread_number();
  unsigned* uncaught = uncaught_exceptions_here();

  calling_thread() { watch_for_exit_in_tasks(); }
  /// An attachment may end later: a thread_local object that was there before the thread's first call.
  ~calling_thread() {
    thread_is_over = true;
    give_up();
  }
  [[nodiscard]] carrying_thread as_carrier() const noexcept { return {number, uncaught}; }
  /// In a fork()'s child, where the thread has another number. The place that it kept has no worker there, and nobody
  /// waits for it.
  void become_of_this_process() noexcept {
    if (process.is_here()) return;
    process = {};
    number = thread_number();
    keeps_place_of = nullptr;
    if (!kept.affinity_before.empty()) (void)restore_affinity(kept.affinity_before);
    kept = {};
  }
  /// Back to the worker, until the thread's next call.
  void lend() noexcept;
  void give_up() noexcept;
};

/// nullptr: this thread is at its end.
calling_thread* this_thread() noexcept {
  return thread_is_over ? nullptr : &thread_object<calling_thread>();
}

/// The deputy runs where the worker does, if that makes a difference. Elsewhere binding would only cost its
/// microsecond.
bool bind(borrowed_place& taken) noexcept {
  const crew& home = taken.place->home;
  const auto pu = home.pin_of(*taken.place);
  if (!pu || !home.binds_callers()) return true;
  try {
    return read_affinity(taken.affinity_before) == 0 && pin_this_thread(*pu) == 0;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// [P8], [P10] The deputy is active from now on. True: others are known to ask it for work.
bool count_as_active(borrowed_place& taken) noexcept {
  crew& home = taken.place->home;
  switch (std::exchange(taken.is, counted::as_active)) {
    case counted::as_sleeping: return home.lot().count_borrowed();
    case counted::as_searching:
      if (home.lot().found_work()) home.notify_one(taken.place->index);  // [P5]
      return true;
    case counted::as_active: break;
  }
  return false;  // a place that was kept: workers may have gone to sleep before this fiber was present
}

void give_back(borrowed_place&& taken) noexcept {
  if (!taken.affinity_before.empty()) (void)restore_affinity(taken.affinity_before);
  (void)count_as_active(taken);
  give_back_place(*std::exchange(taken.place, nullptr));
  taken.affinity_before.clear();
}

void calling_thread::lend() noexcept {
  if (kept.place != nullptr) give_back(std::exchange(kept, {}));
}

void calling_thread::give_up() noexcept {
  become_of_this_process();
  crew* const home = std::exchange(keeps_place_of, nullptr);
  if (home == nullptr) return;
  lend();
  home->count_visit_without_call(-1);  // before the visit ends: else a deputy could take another call for its own
  home->entrance().leave();
}

/// The place that the thread keeps, or another one; none if there is none, or if the thread cannot be bound.
borrowed_place borrow(crew& home, calling_thread& self, places which) noexcept {
  self.become_of_this_process();
  if (self.keeps_place_of == &home && self.kept.place != nullptr) return std::exchange(self.kept, {});
  self.lend();  // what this call waits for may need the worker of a place in another runtime
  borrowed_place taken{.place = home.borrow_place()};
  if (taken.place == nullptr && which == places::of_woken)
    taken = {.place = home.relieve_woken(), .is = counted::as_searching};
  if (taken.place == nullptr || bind(taken)) return taken;
  give_back(std::move(taken));
  return {};
}

/// Reading the clock takes 20 ns, at both ends of each call. An iteration that begins meanwhile reads what differences
/// count from.
bool waits_are_watched(const worker& place) noexcept {
  return place.home.iterations().watched.load(seam::memory_order_relaxed) != 0;
}

void enter_place(worker& place, const carrying_thread& thread) noexcept {
  place.note({.kind = traces::event_kind::woken, .detail = static_cast<std::uint8_t>(traces::wake_cause::caller)});
  if (worker_clocks* const clocks = place.home.clocks()) clocks->works(place.index);
  if (waits_are_watched(place)) place.waits.stop(now_ns());
  else place.waits.stop_unread();
  place.home.begin_work(place);
  place.counters.roots.add();
  place.counters.on_callers.add();
  owner_fence::enter_as_guest(place, thread);
  expect_overflows(place.watched());
}

void exit_place(worker& place) noexcept {
  place.note({.kind = traces::event_kind::parks});
  expect_overflows({});
  place.misses.close();
  place.home.end_work(place);
  if (waits_are_watched(place)) place.waits.start(now_ns());
  else place.waits.start_unread();
  // The worker of the place sleeps on, or notes that it works when it is woken.
  if (worker_clocks* const clocks = place.home.clocks()) clocks->waits(place.index);
}

void note_switch(worker& place, const fiber* to, const fiber* from, traces::switch_cause why) noexcept {
  place.note({.subject = reinterpret_cast<std::uintptr_t>(to),
              .value = reinterpret_cast<std::uintptr_t>(from),
              .kind = traces::event_kind::switches,
              .detail = static_cast<std::uint8_t>(why)});
}

/// The deputy's fiber is the present one. Its first push shares work if nobody else asks for work. A push that shares
/// what nobody takes costs 16 of 180 ns of a call that forks once.
void ask_if_alone(borrowed_place& taken, fiber& present) noexcept {
  if (!count_as_active(taken)) present.jobs.request();
}

/// Runs the loop of a worker on the fiber `on`, until the deputy must leave.
void stand_in(borrowed_place& taken, const carrying_thread& thread, const detail::outside_call& call, fiber& on) {
  worker& place = *taken.place;
  deputy here(call);
  adopt_thread_stack(here.thread_stack, carriers::workers);
  call.begun_in = &place;
  fiber* const of_worker = place.present.load(seam::memory_order_relaxed);
  const carrying_thread of_place = owner_fence::carrier_of(place);
  enter_place(place, thread);
  place.standing_in = &here;
  on.runner = &place;
  place.present.store(&on, seam::memory_order_release);
  ask_if_alone(taken, on);
  place.home.pause_spawning();
  note_switch(place, &on, of_worker, traces::switch_cause::begins);
  // Marked on fibers' stacks alone: on the thread's own there is no fiber to find by an address.
  mark_worker_thread(place.home.fibers().stacks().span_bytes());
  switch_context(here.thread_stack, *on.context);
  detail::inside_worker = detail::outside;
  complete_switch(place);
  release_thread_stack(here.thread_stack);
  place.standing_in = nullptr;
  note_switch(place, of_worker, nullptr, traces::switch_cause::leaves);
  place.present.store(of_worker, seam::memory_order_release);
  owner_fence::move_to(place, of_place);
  exit_place(place);
}

bool is_over(const worker& self) noexcept {
  return self.standing_in->call.done.is_set() || self.home.has_other_calls();
}

}  // namespace

bool begin_as_deputy(crew& home, const detail::outside_call& call, places which) noexcept {
  calling_thread* const self = this_thread();
  if (self == nullptr || process_is_ending() || home.pins_waits()) return false;
  borrowed_place taken = borrow(home, *self, which);
  if (taken.place == nullptr) return false;
  fiber* const loop = home.take_spare(*taken.place);
  if (loop != nullptr) stand_in(taken, self->as_carrier(), call, *loop);
  if (call.done.is_set()) home.spawners().resume();  // before the place is given back, so that its worker sleeps on
  const bool keeps = self->keeps_place_of == &home && home.any_worker_will_ever_do();
  if (!keeps || loop == nullptr || !call.done.is_set()) {
    give_back(std::move(taken));
  } else {
    home.pass_search_on(*taken.place);
    self->kept = std::move(taken);
  }
  return loop != nullptr;
}

bool may_find_place(crew& home) noexcept {
  if (home.has_free_place()) return true;
  const calling_thread* const self = this_thread();
  return self != nullptr && self->keeps_place_of == &home && self->kept.place != nullptr;
}

bool keep_place(crew& home) {
  calling_thread* const self = detail::thread_mark() ? nullptr : this_thread();
  if (self == nullptr) return false;
  self->become_of_this_process();
  if (self->keeps_place_of != nullptr) return false;
  home.enter();
  home.count_visit_without_call(+1);
  self->keeps_place_of = &home;
  home.end_spawning(home.spawners().stop());
  return true;
}

void give_up_place() noexcept {
  if (calling_thread* const self = this_thread()) self->give_up();
}

bool keeps_place() noexcept {
  const calling_thread* const self = this_thread();
  return self != nullptr && self->keeps_place_of != nullptr;
}

void lend_kept_place() noexcept {
  calling_thread* const self = this_thread();
  if (self == nullptr) return;
  self->become_of_this_process();
  self->lend();
}

bool deputy_must_leave(const worker& self) noexcept {
  return self.standing_in != nullptr && is_over(self);
}

job* first_of_deputy(worker& self) noexcept {
  deputy* const here = self.standing_in;
  return here != nullptr && !std::exchange(here->begun, true) ? &here->call.root : nullptr;
}

void leave_as_deputy(worker& self, fiber& loop) noexcept {
  self.after = {after_switch::act::keep_as_spare, &loop, nullptr};
  switch_context(*loop.context, self.standing_in->thread_stack);
  complete_switch(*loop.runner);
}

}  // namespace nearfork
