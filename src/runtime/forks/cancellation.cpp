// Which tasks are told to stop, and where tasks look (include/nearfork/detail/cancel_scope.hpp).
#include <nearfork/cancellation.hpp>

#include <exception>
#include <mutex>
#include <utility>

#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/crews.hpp"

namespace nearfork {

const char* cancelled::what() const noexcept {
  return "nearfork: the task is cancelled, since a part of the loop, fork or group around it threw or was cancelled";
}

bool detail::must_stop_here() noexcept {
  return must_stop(scope_here());
}

}  // namespace nearfork

namespace nearfork::detail {
namespace {

/// Counts before a flag is raised, so that a thread that was told of the flag sees the count.
void count_cancellation() noexcept {
  cancellations.fetch_add(1, seam::memory_order_relaxed);
}
void uncount_cancellation() noexcept {
  cancellations.fetch_sub(1, seam::memory_order_relaxed);
}

/// True for the caller that raised the flag.
bool raise(seam::atomic<bool>& flag) noexcept {
  count_cancellation();
  if (!flag.exchange(true, seam::memory_order_relaxed)) return true;
  uncount_cancellation();
  return false;
}

/// How often anything was cancelled, from 1 on. It is raised after the flag (release), and read before flags (acquire):
/// so who finds no flag raised, and then the same number, has missed none.
constinit seam::atomic<std::uint32_t> cancel_events{1};

void tell_everybody() noexcept {
  cancel_events.fetch_add(1, seam::memory_order_release);
  make_everybody_look();
}

bool is_shielded(const cancel_scope& one) noexcept {
  return one.shielded.load(seam::memory_order_relaxed);
}

bool is_cancelled(const cancel_scope& one) noexcept {
  return one.cancelled.load(seam::memory_order_relaxed) || (one.token != nullptr && one.token->cancelled()) ||
         (!is_shielded(one) && is_cut_short(one));
}
const cancel_scope* next_outward(const cancel_scope& one) noexcept {
  return is_shielded(one) ? nullptr : one.parent;
}

}  // namespace

constinit seam::atomic<std::uint32_t> cancellations{0};

void make_everybody_look() noexcept {
  for_each_crew([](crew& each) { each.make_everyone_look(); });
}

cancel_state::~cancel_state() {
  if (flag_.load(seam::memory_order_relaxed)) uncount_cancellation();
}

void cancel_state::cancel() noexcept {
  if (raise(flag_)) tell_everybody();
}

void cancel(cancel_scope& scope) noexcept {
  if (raise(scope.cancelled)) tell_everybody();
}

void forget_cancellation_slow(cancel_scope& scope) noexcept {
  if (scope.cancelled.exchange(false, seam::memory_order_relaxed)) uncount_cancellation();
}

void fork_cancellation::cancel(slot_address from) noexcept {
  auto lowest = lowest_.load(seam::memory_order_relaxed);
  count_cancellation();
  while (from < lowest)
    if (lowest_.compare_exchange_weak(lowest, from, seam::memory_order_relaxed)) {
      if (lowest != none) uncount_cancellation();  // lowest_ counts once
      return tell_everybody();
    }
  uncount_cancellation();
}

/// A thief may lower lowest_ meanwhile: then a fork below is cancelled, too.
void fork_cancellation::forget_from(slot_address from) noexcept {
  auto lowest = lowest_.load(seam::memory_order_relaxed);
  while (lowest != none && lowest >= from)
    if (lowest_.compare_exchange_weak(lowest, none, seam::memory_order_relaxed)) return uncount_cancellation();
}

bool any_cancelled(const cancel_scope* innermost) noexcept {
  const std::uint32_t events = cancel_events.load(seam::memory_order_acquire);
  const auto is_clear = [events](const cancel_scope* one) {
    return one == nullptr || one->clear_after.load(seam::memory_order_relaxed) == events;
  };
  for (const cancel_scope* one = innermost; !is_clear(one); one = next_outward(*one))
    if (is_cancelled(*one)) return true;
  for (const cancel_scope* one = innermost; !is_clear(one); one = next_outward(*one))
    one->clear_after.store(events, seam::memory_order_relaxed);
  return false;
}

const cancel_scope* scope_here() noexcept {
  return thread_mark() ? this_fiber().scope : nullptr;
}

// --- scopes ---

namespace {

void put_among_forks(cancel_scope& scope, const cancel_scope& parent, fiber& self) noexcept {
  scope.parent = &parent;
  scope.on = &self;
  scope.cut_below = fork_cancellation::at(self.jobs.owner_head());
}

}  // namespace

void put_inside(cancel_scope& scope, const cancel_scope& parent, fiber& self) noexcept {
  if (must_run_in_place()) scope.parent = &parent;  // forks around a destructor do not cut it short
  else put_among_forks(scope, parent, self);
}

void shield(cancel_scope& scope) noexcept {
  scope.shielded.store(true, seam::memory_order_relaxed);
}

void put_here(cancel_scope& scope, fiber& self) noexcept {
  if (must_run_in_place()) shield(scope);
  else put_among_forks(scope, *self.scope, self);
}

open_scope::open_scope(const cancellation_token* token) noexcept : outer_(this_fiber().scope) {
  scope_.token = token;
  put_here(scope_, this_fiber());
  link();
}

open_scope::open_scope(const cancel_scope& parent) noexcept : outer_(this_fiber().scope) {
  put_inside(scope_, parent, this_fiber());
  link();
}

void open_scope::link() noexcept {
  fiber& self = this_fiber();
  outer_->owner_open(scope_, address_of(self.jobs.owner_head()));
  self.scope = &scope_;
}

open_scope::~open_scope() {
  outer_->owner_close_inner();
  this_fiber().scope = outer_;
  forget_cancellation(scope_);
}

// --- unwinding ---

void throw_cancelled() {
  if (thread_mark()) expect_unwinding(this_fiber());
  throw cancelled();
}

void rethrow_failure(std::exception_ptr failure) {
  if (thread_mark()) expect_unwinding(this_fiber());
  std::rethrow_exception(std::move(failure));
}

bool handles_cancelled() noexcept {
  try {
    throw;
  } catch (const cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

// --- loops ---

/// An exception that only tells of the cancellation is no failure of its own. Locked: several pieces may throw at once.
void loop_scope::fail(std::size_t position) noexcept {
  if (handles_cancelled() && must_stop()) return;
  {
    const std::lock_guard now(lock_);
    sanitizers::take_over(&failure_);  // this may destroy the exception of another thread
    if (failure_ == nullptr || position < position_) {
      position_ = position;
      failure_ = std::current_exception();
    }
    sanitizers::hand_over(&failure_);
  }
  cancel(open_.scope());
}

void loop_scope::finish_cancelled() {
  if (failure_ != nullptr) rethrow_failure(std::move(failure_));
  if (is_cancelled_around(open_.scope())) throw_cancelled();
}

// --- forks ---

bool must_stop_at(fiber& self, slot* position) noexcept {
  if (nothing_is_cancelled() || must_run_in_place()) return false;
  return self.cancelled_forks.reaches_frame(position) || any_cancelled(self.scope);
}

bool is_cut_short(const cancel_scope& scope) noexcept {
  return scope.on != nullptr && scope.on->cancelled_forks.is_below(scope.cut_below);
}

bool is_cancelled_around(const cancel_scope& scope) noexcept {
  return is_cut_short(scope) || must_stop(scope.parent);
}

bool must_run_in_place() noexcept {
  return std::uncaught_exceptions() > 0;
}

void expect_unwinding(fiber& self) noexcept {
  self.jobs.request();
}

void cancel_forks_from(fiber& self, slot* position) noexcept {
  self.cancelled_forks.cancel(fork_cancellation::at(position));
}

void forget_cancelled_forks(fiber& self, slot* position) noexcept {
  self.cancelled_forks.owner_forget(position);
  expect_unwinding(self);
}

/// The scope of a stolen job is the scope around its fork, in the frame that the job was stolen from. In a scope that
/// was opened while an exception unwound that fiber, forks around the scope that are given up do not reach the job.
bool begin_fork_job() noexcept {
  fiber& self = this_fiber();
  const deque_place from = std::exchange(self.stolen_from, {});
  if (from.owner != nullptr) {
    const slot* const position = from.owner->jobs.position_of(from.index);
    const auto* const around = static_cast<cancel_scope*>(from.owner->base.innermost_around(address_of(position)));
    self.base.parent = around;
    self.base.on = is_shielded(*around) ? nullptr : from.owner;
    self.base.cut_below = fork_cancellation::above(position);
  }
  return !must_stop(self.scope);
}

void end_failed_fork_job() noexcept {
  fiber& self = this_fiber();
  if (self.scope != &self.base) cancel(*self.scope);  // a family that runs here
  else if (self.base.on != nullptr) self.base.on->cancelled_forks.cancel(self.base.cut_below);
  else if (self.family != nullptr) cancel(*self.family);
}

}  // namespace nearfork::detail
