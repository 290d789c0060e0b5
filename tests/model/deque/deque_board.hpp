// A deque with its jobs, for tests of the deque: what the owner and thieves do with it.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "model/explorer.hpp"
#include "nearfork/detail/deque.hpp"
#include "nearfork/detail/job.hpp"

namespace nearfork::model {

using detail::job;
using detail::slot;

/// Four jobs fill this deque; the real deque holds thousands.
using small_deque = detail::basic_deque<4>;

inline void never(job&) {}

/// A job with plain contents: taking it without synchronisation is a race.
struct marked_job : job {
  marked_job() : job(detail::kind_of<&never>) {}
  detail::seam::plain<int> contents{0};
  detail::seam::plain<int> taken{0};
};

struct board {
  small_deque deque;
  std::array<marked_job, 4> jobs;
  detail::seam::atomic<int> pushed{0};
  std::array<int, 4> takes{};  // by owner or thief; one model thread runs at a time

  void push(std::size_t id) {
    jobs[id].contents = 1;
    slot* const head = deque.owner_head();
    (void)deque.owner_offer(head, &jobs[id]);
    deque.owner_set_head(head + 1);
  }
  /// As fork_privately().
  void push_privately(std::size_t id) {
    const bool held = deque.owner_hold_requests();
    push(id);
    if (held) deque.request();
  }
  void took(job* which) {
    require(which != nullptr, "a taken slot has a job");
    auto* const mine = static_cast<marked_job*>(which);
    require(mine->contents == 1, "a taken job is whole");
    mine->taken = 1;
    ++takes[static_cast<std::size_t>(mine - jobs.data())];
  }
  /// The owner's join of the job in `position`: true if the owner took the job back.
  bool join(slot* position, std::size_t id) {
    if (!deque.owner_pop(position) && !deque.owner_take_back(position)) return false;
    took(&jobs[id]);
    return true;
  }
  void steal_once() {
    const detail::steal_result result = deque.steal();
    if (result.outcome == detail::steal_outcome::stolen) {
      took(result.taken);
      (void)result.taken->finish();
    }
  }
  /// A thief that found nothing, asked, and still finds nothing.
  void steal_by_force() {
    deque.request();
    if (const auto seen = deque.unanswered())
      if (detail::seam::heavy_fence()) (void)deque.open_by_force(*seen, [] { return true; });
    steal_once();
  }
  void each_was_taken_once(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) require(takes[i] == 1, "each job is taken exactly once");
  }
};

inline outcome explored(const std::function<void(program&, const std::shared_ptr<board>&)>& build,
                        unsigned preemptions = 3) {
  return explore([&](program& made) { build(made, std::make_shared<board>()); }, {.preemptions = preemptions});
}

/// A thread that tries to steal so often.
inline void add_thief(program& made, const std::shared_ptr<board>& at, int steals) {
  made.thread([=] {
    for (int i = 0; i < steals; ++i) at->steal_once();
  });
}

/// The owner joins job `id` in slot `index`. For a stolen job the owner waits and then forgets the slot, as
/// take_back_or_wait() does.
inline void join_one(board& on, std::size_t index, std::size_t id) {
  slot* const position = on.deque.owner_bottom() + index;
  if (on.join(position, id)) return;
  while (!on.jobs[id].done()) detail::seam::pause();
  on.deque.owner_forget(position);
}
/// All jobs, the youngest first.
inline void join_all(board& on, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) join_one(on, i, i);
}

}  // namespace nearfork::model
