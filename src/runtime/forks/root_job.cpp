#include "runtime/forks/root_job.hpp"

#include <array>
#include <cstddef>
#include <optional>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/tasks/per_worker_index.hpp>

#include "base/sanitizer_calls.hpp"
#include "base/threads/patience.hpp"
#include "runtime/forks/given_jobs.hpp"
#include "runtime/regions/recorded_run.hpp"
#include "runtime/relief/relief.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

void root_job::execute(job& self) noexcept {
  auto& me = static_cast<root_job&>(self);
  this_fiber().base.parent = me.caller_scope_;
  me.call_here();
  me.signal_done();
}

void root_job::call_here() noexcept {
  try {
    const recorded_run here(where_);
    call_();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

bool root_job::begin_here(crew& home, places which) noexcept {
  return begin_as_deputy(home, {*this, done_, begun_in_}, which);
}

void root_job::signal_done() noexcept {
  sanitizers::hand_over(this);
  if (resumes_fiber_) return resume_waiter(finish());
  worker& here = *this_fiber().runner;
  const worker* const begun_in = begun_in_;
  if (here.standing_in != nullptr && &here.standing_in->call.done == &done_) return done_.set_by_sleeper();
  if (begun_in == nullptr) here.ended_call = true;
  done_.set();
  if (begun_in != nullptr && begun_in != &here) here.home.wake_deputy(begun_in->index);
}

namespace {

/// Where the call of a thread outside begins, and how the thread sleeps until it is done.
class pending_call {
 public:
  pending_call(crew& home, root_job& root, raw_task call, const call_terms& terms) noexcept
      : home_(home), root_(root), call_(call), terms_(terms), sleep_(home) {}
  ~pending_call() {
    if (moves_ != 0 && works_there()) home_.count_visit_without_call(-1);
  }
  pending_call(const pending_call&) = delete;
  pending_call& operator=(const pending_call&) = delete;

  /// Throws as crew::inject().
  void begin() {
    crew& called = relief::crew_for_call(home_);
    if (&called == &home_ && begins_in(home_, terms_.may_take)) return;
    home_.pause_spawning();  // the thread sleeps, or has a place elsewhere
    if (&called != &home_) return inject(called);
    crew* at = &home_;
    for (crew* next = relief::beside(home_); next != nullptr && may_leave(); next = relief::beside(*at)) {
      go(*at, *next);
      if (begins_in(*next, places::of_sleepers)) return;
      at = next;
    }
    inject(*at);
  }

  void operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    if (lies_in_ == nullptr) sleep_(word, expected);
    else if (sleep_.finds_busy(*lies_in_, word, expected)) leave();
  }

 private:
  static constexpr std::size_t most_moves = further_crews;  // per_worker has values for so many

  [[nodiscard]] bool begins_in(crew& at, places which) noexcept { return root_.begin_here(at, which); }
  [[nodiscard]] bool may_leave() const noexcept { return moves_ != most_moves && terms_.may_leave(call_.data); }
  /// A call that waits for tasks has them where they are.
  [[nodiscard]] bool works_there() const noexcept { return terms_.may_take == places::of_sleepers; }

  void inject(crew& at) {
    at.inject(root_);
    lies_in_ = &at;
  }
  /// The call is of `to` from now on.
  void go(crew& from, crew& to) {
    visits_[moves_].emplace(to);
    if (moves_++ == 0 && works_there()) home_.count_visit_without_call(+1);
    relief::count_beside(from);
  }
  void leave() noexcept {  // NOLINT(bugprone-exception-escape)
    crew& from = *lies_in_;
    crew* const to = may_leave() ? relief::make_beside(from) : nullptr;
    if (to == nullptr || !from.take_out_of_injector(root_)) return;
    lies_in_ = nullptr;
    go(from, *to);
    if (!begins_in(*to, places::of_sleepers)) with_patience("make a call", [&] { inject(*to); });
  }

  crew& home_;
  root_job& root_;
  const raw_task call_;
  const call_terms& terms_;
  relieving_sleep sleep_;
  crew* lies_in_ = nullptr;  // nullptr: this thread has begun the call
  std::size_t moves_ = 0;
  std::array<std::optional<crew::visit>, most_moves> visits_;
};

}  // namespace

void call_from_outside(crew& home, raw_task call, const call_site& where, const call_terms& terms) {
  root_job root(call, where);
  const crew::visit until_done(home);
  if (!thread_mark()) {
    pending_call pending(home, root, call, terms);
    pending.begin();
    root.sleep_until_done(pending);
    home.spawners().resume();
  } else {
    fiber& caller = this_fiber();
    root.resumes_fiber(caller.scope);
    home.inject(root);
    wait_for_outside(caller, root);
  }
  root.throw_if_failed();
}

bool call_in_place(crew& home, raw_task call, places which) noexcept {
  if (!home.entrance().try_enter()) return false;
  root_job root(call, {__builtin_FILE(), __builtin_LINE()});
  const bool begun = root.begin_here(home, which);
  relieving_sleep how(home);
  if (begun) {
    root.sleep_until_done(how);
    home.spawners().resume();
  }
  home.entrance().leave();
  return begun;
}

}  // namespace nearfork::detail
