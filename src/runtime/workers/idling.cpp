#include "runtime/workers/idling.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "runtime/clocks/worker_clocks.hpp"
#include "runtime/protocols/idle_protocol.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/deputy.hpp"
#include "runtime/workers/find_work.hpp"

namespace nearfork {
namespace {

/// How long a request may stay unanswered before a thief takes by force, at first. Owners that fork answer within a
/// microsecond. The pause between two demands doubles, because each interrupts all threads of the process that run.
constexpr std::uint64_t patience_ns = 5'000;

/// When to demand again.
class patience {
 public:
  explicit patience(std::uint64_t now) noexcept : until_(now + patience_ns) {}
  [[nodiscard]] bool ends(std::uint64_t now) noexcept {
    if (now < until_) return false;
    pause_ *= 2;
    until_ = now + pause_;
    return true;
  }

 private:
  std::uint64_t pause_ = patience_ns;
  std::uint64_t until_;
};

bool must_stop(const worker& self) noexcept {
  return self.home.stopping() || deputy_must_leave(self);
}

/// [G1] of task_mailbox.hpp: waits for the task of a worker on a slower core that has one, the nearest.
void ask_for_task(worker& self) noexcept {
  if (self.asked != nullptr) {
    if (self.asked->waits.stands() || !self.asked->mailbox.take_back(self.index)) return;
    self.asked = nullptr;  // it has run out of work itself
  }
  for (worker* const one : self.slower)
    if (one->waits.stands() && one->mailbox.ask(self.index)) {
      self.asked = one;
      return;
    }
}

/// Empty if `given` is null.
work_item mugged(worker& self, fiber* given) noexcept {
  if (given == nullptr) return {};
  self.asked = nullptr;
  self.counters.mugs.add();
  return {.go_on = given};
}

/// What the worker does next: what it was `given`, if anything; then others may have what it `found`.
work_item first_of(worker& self, work_item given, work_item found) noexcept {
  if (!given) return found;
  if (found) self.home.hand_on_in_domain_of(self, found);
  return given;
}

/// [G3] Returns what the worker does next: `found`, or a task that it was given meanwhile.
work_item end_asking(worker& self, work_item found) noexcept {
  fiber* const given = end_asking(self.home, self.index, std::exchange(self.asked, nullptr)->index);
  return first_of(self, mugged(self, given), found);
}

work_item look_for_work(worker& self) noexcept {
  if (fiber* const back = self.home_place.try_take()) return {.go_on = back};
  if (const work_item found = find_work(self)) return found;
  if (self.slower.empty()) return {};
  ask_for_task(self);
  return mugged(self, self.mailbox.try_take());
}

/// A worker that has just run the call of a thread goes to sleep soon: then the next call runs on its thread, in the
/// worker's place. Threads that called again within spin_us had all their calls handed over, for ever: loops of 1000
/// numbers took 5 to 14 us each on one worker, and 0.6 on their thread. Beside a worker in a long task it stays awake:
/// a deputy that leaves would pass a fence then, and each loop took 13 us on its thread, and 5 by the worker.
std::uint64_t search_ns(worker& self) noexcept {
  constexpr std::uint64_t after_call_ns = 2'000;
  const std::uint64_t usual_ns = self.home.spin_ns();
  if (!std::exchange(self.ended_call, false)) return usual_ns;
  const idle_counts now = self.home.lot().approx_counts();
  const bool all_idle = now.searching() + now.sleeping() >= self.home.worker_count();
  return all_idle ? std::min(after_call_ns, usual_ns) : usual_ns;
}

/// Looks again and again for config::spin_us. The pauses between looks grow, so that victims keep their cache lines.
work_item look_for_a_while(worker& self) noexcept {
  constexpr unsigned most_pauses = 64;
  std::uint64_t now = now_ns();
  const std::uint64_t until = now + search_ns(self);
  patience waiting(now);
  unsigned pauses = 1;
  poll_watch& polling = self.home.polling();
  do {
    if (polling.wanted()) {
      polling.poll();
      pauses = 1;  // an answer is worth looking for closely
    }
    if (work_item found = look_for_work(self)) return found;
    if (must_stop(self)) return {};
    if (waiting.ends(now) && open_by_force(self)) continue;
    for (unsigned i = 0; i < pauses && !self.home_place.is_taken(); ++i) seam::pause();
    if (pauses < most_pauses) {
      pauses *= 2;
      continue;
    }
    self.home.note_pu(self);
    seam::yield();  // the thread that shares this core may have the work
  } while ((now = now_ns()) < until);
  return open_by_force(self) ? find_work(self) : work_item{};
}

/// Fibers do not come home to a worker that sleeps.
work_item search_for_a_while(worker& self) noexcept {
  self.home_place.open();
  return or_who_came_home(self, look_for_a_while(self));
}

/// While it lives, the worker may also take the steps that are left for those that would sleep.
class before_sleep {
 public:
  explicit before_sleep(worker& self) noexcept : self_(self) { self_.would_sleep = true; }
  ~before_sleep() { self_.would_sleep = false; }
  before_sleep(const before_sleep&) = delete;
  before_sleep& operator=(const before_sleep&) = delete;

 private:
  worker& self_;
};

/// How a worker sleeps. While others are awake it looks at their private jobs after 1, 2, 4, ... ms again: a push that
/// the system stopped between its look at the limit and its store was not in sight of [P3] (parking.md). A thread is
/// not stopped for longer than a second, unless by a debugger. A look takes 5 ns a worker. While fibers wait for other
/// threads or runtimes, it looks whether what they wait for needs relief (relief.hpp). Meanwhile a deputy may be at
/// work in the worker's place: so this reads and writes only what any thread may.
class light_sleep {
 public:
  explicit light_sleep(worker& self) noexcept : self_(self), as_watcher_(self.home.polling()) {}

  void operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    if (!must_look_again()) return as_watcher_(word, expected, std::nullopt);
    const std::uint64_t pause_ns = shortest_ns << std::min(looks_, most_looks - 1);
    if (due_ns_ == 0) due_ns_ = now_ns() + pause_ns;
    as_watcher_(word, expected, pause_ns);
    if (word.load(seam::memory_order_relaxed) == expected && now_ns() >= due_ns_) look_again();
  }
  /// A thread that spawns tasks into a group and then waits for them finds no place once this worker is up. Of three
  /// threads on two cores two often shared one for a millisecond while the other core idled: 100 tasks of 10 us took
  /// 824 us, and take 601 so (medians of 11 interleaved runs).
  void linger(seam::atomic<std::uint32_t>& word, std::uint32_t up) noexcept {
    constexpr std::uint64_t most_ns = 50'000;
    if (word.load(seam::memory_order_relaxed) == up && self_.home.may_leave_to_caller())
      seam::futex_wait_for(word, up, most_ns);
  }

 private:
  static constexpr std::uint64_t shortest_ns = 1'000'000;
  static constexpr unsigned most_looks = 11;  // the last one after another second

  [[nodiscard]] bool must_look_again() const noexcept {
    return self_.home.has_outside_waits() || watches_shared_work() || (looks_ < most_looks && others_are_awake());
  }
  /// One worker of a relief whose workers do not come for each job that is shared there (crew::lacks_cores()).
  [[nodiscard]] bool watches_shared_work() const noexcept { return self_.index == 0 && self_.home.waits_for_cores(); }
  /// A job lies there from look to look: perhaps one that a running task waits for.
  [[nodiscard]] bool shared_work_is_left() noexcept {
    const std::uint64_t published = self_.home.total(&worker_counters::publications);
    const bool was_left = std::exchange(published_, published) == published && is_shared_;
    is_shared_ = self_.home.has_shared_work();
    return was_left && is_shared_;
  }
  /// Workers, or threads outside that push into lanes.
  [[nodiscard]] bool others_are_awake() const noexcept {
    const parking_lot& lot = self_.home.lot();
    return lot.approx_counts().sleeping() < lot.workers() || self_.home.lanes().in_use();
  }
  /// Work lies there, and those that search do not take it: the system runs something else on their cores. They may not
  /// have asked for it either; so this asks, for the next look.
  [[nodiscard]] bool searchers_miss_work() noexcept {
    crew& home = self_.home;
    if (home.lot().approx_counts().searching() == 0) return false;
    home.ask_everyone();
    return home.any_worker_will_do() && home.has_shared_work();
  }
  void look_again() noexcept {
    const bool watches = watches_shared_work();
    if (watches && self_.home.entrance().visits() != 0) looks_ = 0;
    else if (looks_ < most_looks) ++looks_;
    due_ns_ = 0;
    if (self_.home.has_outside_waits()) self_.home.look_for_relief();
    if (watches && shared_work_is_left()) return self_.home.notify_one(self_.index);  // a deputy may have this place
    if (!unanswered_in_sight(self_.home, self_.index) && !searchers_miss_work()) return;
    self_.notified_at_ns.store(now_ns(), seam::memory_order_relaxed);
    (void)self_.home.lot().notify(self_.index);
  }

  worker& self_;
  poll_watch::sleeper as_watcher_;
  std::uint64_t due_ns_ = 0;  // 0: not set
  unsigned looks_ = 0;
  std::uint64_t published_ = 0;  // at the last look
  bool is_shared_ = false;
};

/// The worker's side of idle().
class idle_worker {
 public:
  explicit idle_worker(worker& self) noexcept : self_(self) {}

  /// At last tries the steps that the search order reserves for workers that would sleep.
  [[nodiscard]] work_item search() noexcept {
    if (was_woken_ && self_.home.flow() != nullptr)
      if (const work_item found = look_in_mail_of(mail_taken::of_busy_owners)) return found;
    if (const work_item found = search_for_a_while(self_)) return found;
    if (stopping()) return {};
    const before_sleep now(self_);
    return look_in_mail_of(saw_work_ ? mail_taken::all : mail_taken::of_busy_owners);
  }
  /// The fence has what owners have pushed in sight of [P3].
  void ask_everyone() noexcept {
    self_.home.ask_everyone();
    (void)self_.home.fences().pass_all();
  }
  [[nodiscard]] bool stopping() const noexcept { return must_stop(self_); }
  [[nodiscard]] bool work_in_sight() noexcept {
    const before_sleep now(self_);
    return saw_work_ = self_.mailbox.has_task() || nearfork::work_in_sight(self_);
  }
  [[nodiscard]] bool more_in_sight() noexcept { return nearfork::work_in_sight(self_); }
  void park() noexcept {
    begin_rest();
    sleep();
    end_rest();
  }
  void notify_one() noexcept { self_.home.notify_one(self_.index); }
  [[nodiscard]] bool must_watch() const noexcept { return self_.home.polling().lacks_watcher(); }
  [[nodiscard]] bool may_sleep_on() const noexcept { return self_.home.keeps_asleep() && !must_watch(); }
  [[nodiscard]] bool any_worker_will_do() const noexcept { return self_.home.any_worker_will_do(); }

 private:
  /// The worker's thread leaves its place.
  void begin_rest() noexcept {
    self_.home_place.close_if_empty();  // it is open still if the worker may not search
    self_.misses.close();               // the region may be over before the worker wakes up
    self_.counters.parks.add();
    self_.note_stalls();
    self_.note({.kind = traces::event_kind::parks});
    if (worker_clocks* const clocks = self_.home.clocks()) clocks->waits(self_.index);
    saw_work_ = false;
    was_woken_ = true;
  }
  void end_rest() noexcept {
    self_.note({.kind = traces::event_kind::woken, .detail = static_cast<std::uint8_t>(cause_of_waking())});
    if (worker_clocks* const clocks = self_.home.clocks()) clocks->works(self_.index);
    if (self_.standing_in == nullptr) self_.home.apart().is_up(self_.sleeper);
    const std::uint64_t notified_at = self_.notified_at_ns.load(seam::memory_order_relaxed);
    const std::uint64_t now = now_ns();
    self_.searching_since_ns = now;
    if (notified_at != 0 && now > notified_at) self_.wake_latency.record(now - notified_at);
  }
  /// As far as the woken worker knows; the worker that wakes it notes more.
  [[nodiscard]] traces::wake_cause cause_of_waking() const noexcept {
    return self_.home.stopping() ? traces::wake_cause::stop : traces::wake_cause::outside;
  }

  void sleep() noexcept {
    light_sleep how(self_);
    if (self_.standing_in != nullptr) return self_.home.lot().park_as_deputy(self_.index, how);
    self_.home.wake_beside();
    self_.home.apart().goes_to_sleep(self_.sleeper);
    self_.home.lot().park(self_.index, how);
  }

  work_item look_in_mail_of(mail_taken which) noexcept {
    self_.takes_mail = which;
    const work_item found = find_work(self_);
    self_.takes_mail = mail_taken::open;
    return found;
  }

  worker& self_;
  bool was_woken_ = false;  // perhaps because the owner of some mail is in a task
  bool saw_work_ = false;   // in the last look before sleep, and it is still there: a mailbox whose owner does not come
};

}  // namespace

work_item or_who_came_home(worker& self, work_item found) noexcept {
  return first_of(self, {.go_on = self.home_place.close()}, found);
}

work_item idle_until_work(worker& self) noexcept {
  idle_worker here(self);
  const work_item found = idle(here, self.home.lot(), self.index);
  return self.asked == nullptr ? found : end_asking(self, found);
}

namespace {

/// Where another worker searches, a deputy leaves without a fence, which takes 10 us. A worker that has just ended the
/// deputy's call does so in a moment. A worker that sleeps on [K1] needs neither.
void await_searcher(crew& home) noexcept {
  constexpr int most_looks = 32;
  if (!home.any_worker_will_do()) return;
  for (int looks = 0; looks < most_looks; ++looks) {
    const idle_counts now = home.lot().approx_counts();
    const bool others_work = now.sleeping() + 1 < home.lot().workers();  // the deputy is awake, too
    if (now.searching() > 0 || !others_work) return;
    for (int i = 0; i < 4; ++i) seam::pause();
  }
}

}  // namespace

void give_back_place(worker& place) noexcept {
  idle_worker here(place);
  if (!here.may_sleep_on()) await_searcher(place.home);
  leave_place(here, place.home.lot(), place.index);
}

bool sees_work(worker& self) noexcept {
  return idle_worker(self).work_in_sight();
}

}  // namespace nearfork
