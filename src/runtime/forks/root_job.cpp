#include "runtime/forks/root_job.hpp"

#include <nearfork/detail/fiber.hpp>

#include "base/sanitizer_calls.hpp"
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

void root_job::sleep_until_done(crew& home) noexcept {
  done_.sleep_by(relieving_sleep(home));
  sanitizers::take_over(this);
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

void call_from_outside(crew& home, raw_task call, const call_site& where, places which) {
  root_job root(call, where);
  const crew::visit until_done(home);
  if (!thread_mark()) {
    crew& called = relief::crew_for_call(home);
    const auto begins = [&] { return &called == &home && root.begin_here(home, which); };
    if (!begins() && !(place_comes(home) && begins())) called.inject(root);
    root.sleep_until_done(home);
  } else {
    fiber& caller = this_fiber();
    root.resumes_fiber(caller.scope);
    home.inject(root);
    wait_for_outside(caller, root);
  }
  root.throw_if_failed();
}

}  // namespace nearfork::detail
