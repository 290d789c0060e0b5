#include "runtime/workers/switching.hpp"

#include <utility>

#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

traces::switch_cause cause_of(after_switch::act what) noexcept {
  switch (what) {
    case after_switch::act::wait_for_job: return traces::switch_cause::waits;
    case after_switch::act::send_to_domain: return traces::switch_cause::is_sent;
    case after_switch::act::give_to_worker: return traces::switch_cause::is_given;
    case after_switch::act::keep_as_spare:
    case after_switch::act::nothing: break;
  }
  return traces::switch_cause::resumes;
}

}  // namespace

void switch_fiber(worker& self, fiber& from, fiber& to, after_switch then) noexcept {
  to.runner = &self;
  self.after = then;
  // Limit cleared: a worker may have gone to sleep while `to` was no worker's present fiber (parking.md, [P2]).
  to.jobs.request();
  // Release: a thief that sees `to` sees its deque.
  self.present.store(&to, seam::memory_order_release);
  self.note({.subject = reinterpret_cast<std::uintptr_t>(&to),
             .value = reinterpret_cast<std::uintptr_t>(&from),
             .kind = traces::event_kind::switches,
             .detail = static_cast<std::uint8_t>(cause_of(then.what))});
  switch_context(*from.context, *to.context);
  from.runner->home.follow(*from.runner);
  complete_switch(*from.runner);
}

void go_on_in(fiber& self, std::uint32_t domain) noexcept {
  worker& me = *self.runner;
  if (me.domain == domain) return;
  const bool all_work =
      me.home.domain_at(domain).working.load(seam::memory_order_relaxed) >= me.home.layout().workers_of(domain).size();
  fiber* const next = all_work ? nullptr : me.home.take_spare(me);
  if (next == nullptr) return;
  switch_fiber(me, self, *next, {after_switch::act::send_to_domain, &self, nullptr, domain});
}

void give_up_task(fiber& self) noexcept {
  worker& me = *self.runner;
  fiber* const next = me.home.take_spare(me);
  if (next == nullptr) return;
  const auto taker = me.mailbox.agree();
  if (!taker) return me.home.keep_spare(me, *next);
  switch_fiber(me, self, *next, {after_switch::act::give_to_worker, &self, nullptr, *taker});
}

void hand_on_found(worker& self) noexcept {
  if (self.found_at_join) self.home.hand_on_in_domain_of(self, std::exchange(self.found_at_join, {}));
}

void complete_switch(worker& self) noexcept {
  const after_switch then = self.after;
  self.after = {};
  switch (then.what) {
    case after_switch::act::nothing: break;
    case after_switch::act::keep_as_spare: self.home.keep_spare(self, *then.left); break;
    case after_switch::act::wait_for_job:
      if (!then.waited->wait(then.left)) self.resume_next = then.left;  // [S2]: the job is done meanwhile
      break;
    case after_switch::act::send_to_domain:
      self.home.domain_at(then.to).low.push_surely({.go_on = then.left});
      self.home.announce_in_pool(then.to);
      break;
    case after_switch::act::give_to_worker: give_task(self.home, *then.left, then.to); break;
  }
}

}  // namespace nearfork
