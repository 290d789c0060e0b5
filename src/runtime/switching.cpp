#include "runtime/switching.hpp"

#include "runtime/scheduler.hpp"
#include "runtime/worker_loop.hpp"

namespace nearfork {

void switch_fiber(worker& self, fiber& from, fiber& to, after_switch then) noexcept {
  to.runner = &self;
  self.after = then;
  // Cleared: somebody may have gone to sleep while `to` was nobody's present fiber (parking.md, [P2]).
  to.jobs.request();
  // Release: a thief that sees `to` sees its deque.
  self.present.store(&to, seam::memory_order_release);
  switch_context(*from.context, *to.context);
  complete_switch(*from.runner);
}

void complete_switch(worker& self) noexcept {
  const after_switch then = self.after;
  self.after = {};
  switch (then.what) {
    case after_switch::act::nothing: break;
    case after_switch::act::keep_as_spare: self.home.keep_spare(self, *then.left); break;
    case after_switch::act::wait_for_job:
      if (!then.waited->wait(then.left)) self.resume_next = then.left;  // done meanwhile
      break;
  }
}

void fiber_main() noexcept {
  fiber& self = detail::this_fiber();
  complete_switch(*self.runner);
  worker_loop(self);
}

}  // namespace nearfork
