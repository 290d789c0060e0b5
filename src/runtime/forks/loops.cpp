// How a loop is cut into pieces. Its body is known by a pointer: one call through it for each piece.
#include <algorithm>
#include <bit>
#include <utility>

#include <nearfork/detail/tasks/private_fork.hpp>
#include <nearfork/parallel_for.hpp>

#include "runtime/forks/tell_of_push.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// How long a piece may take until the next look. A look costs about 100 ns, 4% of the first pieces; most of that is
/// for leaving the compiler's vector loop and entering it again. So the pieces of a loop grow while no thief asks, up
/// to eight times their first length: 0.5%. A thief never waits longer than a thirtieth of the time that the loop has
/// taken so far.
std::uint64_t ticks_per_look(std::uint64_t ticks_so_far) noexcept {
  return std::clamp(ticks_so_far / 32, look_up_ticks, 8 * look_up_ticks);
}

/// So many workers take their shares of a loop from the deque of its caller. More would wait for each other there: then
/// two shares are cut into halves.
constexpr std::size_t most_dealt = 4;

/// Shares of up to so many bodies are halved down to single ones, although these may be quick: a fork and a call take 4
/// ns, and reading the clock 7. Two empty bodies take 27 ns so, on two workers that have other work; they took 51.
constexpr std::size_t too_few_to_time = 8;

/// A body that takes longer is called by itself, so that others need not wait for it. Halving takes about 50 ns a body.
constexpr std::uint64_t batched_body_ticks = look_up_ticks / 8;
/// A piece that took longer than this shows that the bodies are not as quick as they were before.
constexpr std::uint64_t slow_piece_ticks = 64 * look_up_ticks;

/// What is left is not shared if it takes no longer, as far as the last piece tells: that is how long a part takes to
/// go to another worker, and its lines with it. Loops of 0.3 to 9 us, again and again, take 0.89 to 0.95 of the time.
constexpr std::uint64_t too_short_to_halve = look_up_ticks / 2;

/// Of a loop with fewer indices than that. A part of a piece that has begun cannot be shared, so slow bodies behind
/// quick ones would run one after the other: 64 bodies, the last 8 of 4 ms, took 33 ms on two workers and on four. Each
/// worker has eight such ranges of its own, or four of many bodies: 1000 bodies of 20 ns took 5.3 us with eight, and
/// take 4.3 to 4.9.
constexpr std::size_t many_indices = 4096;

/// More than 64 for each worker.
bool has_many_bodies(std::size_t count) noexcept {
  return count > std::size_t{64} * this_fiber().runner->home.worker_count();
}

std::size_t most_in_turn(std::size_t count) noexcept {
  const std::size_t workers = this_fiber().runner->home.worker_count();
  if (workers == 1 || count >= many_indices) return count;
  return std::max<std::size_t>(1, count / ((has_many_bodies(count) ? 4 : 8) * workers));
}

template <class F, class G>
void fork(F&& f, G&& g) {
  tell_of_push(this_fiber());
  fork_join(std::forward<F>(f), std::forward<G>(g));
}

/// One loop, on all workers that help.
class loop {
 public:
  loop(const loop_pieces& pieces, loop_scope& scope, std::size_t count) noexcept
      : pieces_(pieces), scope_(scope), most_in_turn_(most_in_turn(count)) {}

  /// A balanced tree of halves, down to leaves of at most `grain` indices: with a given grain, and for few bodies.
  void run_tree(std::size_t first, std::size_t last, std::size_t grain);
  /// A balanced tree above the plan's subtree roots, lazy splitting below them. The tree ends at leaves of `grain`
  /// indices, because a profile needs no finer ones.
  void run_planned(std::size_t first, std::size_t last, std::size_t grain);
  void run_lazily(std::size_t first, std::size_t last);
  /// What bodies were like when this place called the loop the last time.
  /// All quick: then slow ones among many are not looked for so hard. Others may have to wait for an eighth of a share
  /// at first, and for half of it afterwards. 300 bodies of 1 ns, which two workers called in 35 pieces each, take
  /// 0.9 us in place of 1.9.
  /// Some slow: then others may have the rest of a range while its first part is called. Four bodies of 13 us among
  /// 400, three of them in one half, take 30 us on two workers in place of 53.
  void expect(bodies_seen last_time, std::size_t count) noexcept {
    expects_quick_ = last_time == bodies_seen::all_quick && has_many_bodies(count);
    expects_slow_ = last_time == bodies_seen::some_slow;
    if (expects_quick_) most_in_turn_ = count;
  }
  /// This time.
  [[nodiscard]] bodies_seen bodies() const noexcept {
    if (had_slow_.load(seam::memory_order_relaxed)) return bodies_seen::some_slow;
    return ended_quick_.load(seam::memory_order_relaxed) ? bodies_seen::all_quick : bodies_seen::unknown;
  }
  /// Call it before others can help. A loop that runs alone does not read the clock for it.
  void begin_to_share() noexcept { began_ = coarse_ticks(); }
  /// Without a word to thieves, for about so long. Returns the first position that was not called.
  std::size_t run_alone(std::size_t first, std::size_t count, std::uint64_t most_ticks);

 private:
  /// How many bodies make a piece, as far as a worker's last ones tell; 0: they are slow, or not known. Each worker
  /// knows for itself: where the first 20 of 1000 bodies take 50 us and all others 50 ns, those that have come to the
  /// quick ones had the others call the slow ones in one piece (940 us on two workers, and 570 now).
  using batch = std::size_t;

  void deal(std::size_t first, std::size_t last, std::size_t share, std::size_t over);
  batch run_share(std::size_t first, std::size_t last);
  template <class Bodies>
  batch run_before_rest(const Bodies& bodies, std::size_t first, std::size_t last, batch quick);
  batch run_behind_first(std::size_t first, std::size_t last);
  batch run_range(std::size_t first, std::size_t last, batch quick);
  batch run_anew(std::size_t first, std::size_t last, batch quick);
  batch halve_range(std::size_t first, std::size_t last, batch quick);
  std::size_t call_in_pieces(std::size_t first, std::size_t last, batch& quick);
  [[nodiscard]] std::size_t fitting(std::size_t first, std::size_t last, std::size_t length) const noexcept;
  [[nodiscard]] std::size_t part_of(std::size_t length) const noexcept;
  void call_in_parts(std::size_t first, std::size_t last, std::size_t most);
  batch call_alone(std::size_t index, bool timed);
  void call_leaf(std::size_t first, std::size_t last);
  void call_piece(std::size_t first, std::size_t last) noexcept;

  const loop_pieces& pieces_;
  loop_scope& scope_;
  std::size_t most_in_turn_;  // a larger range is halved, although bodies are quick
  bool expects_quick_ = false;
  bool expects_slow_ = false;
  std::uint64_t began_ = 0;  // to be shared
  // Several workers may write these: below a plan each subtree of the loop is dealt by itself. Few do.
  seam::atomic<bool> ended_quick_{false};  // the first share
  seam::atomic<bool> had_slow_{false};
};

/// An exception ends the loop on all workers.
void loop::call_piece(std::size_t first, std::size_t last) noexcept {
  try {
    pieces_.call(pieces_.body, first, last);
  } catch (...) {
    scope_.fail(first);
  }
}

/// A leaf is not cut if the body takes ranges. (Lazy loops do not need this: their pieces are short.)
void loop::call_leaf(std::size_t first, std::size_t last) {
  if (pieces_.is == loop_pieces::form::ranges) return call_piece(first, last);
  in_cancellable_steps(first, last, &scope_, [&](std::size_t from, std::size_t to) { call_piece(from, to); });
}

loop::batch loop::call_alone(std::size_t index, bool timed) {
  const std::uint64_t before = timed ? coarse_ticks() : 0;
  call_piece(index, index + 1);
  return timed && coarse_ticks() - before <= batched_body_ticks ? 1 : 0;
}

/// Lazy binary splitting (Tzannes et al., PPoPP 2010): quick bodies are called piece by piece, and a thief that asks
/// gets half of what remains. In the paper an empty deque triggers the split; here a thief's request does. Before the
/// first body is called, all others are open to thieves: the first one gets its share at once, and need not hand back
/// half of all (10,000 doubles take 1.19 us on two workers so, 1.43 where it got the rest; 16 bodies of 0.5 us 4.3 and
/// 4.7).
void loop::run_lazily(std::size_t first, std::size_t last) {
  const std::size_t count = last - first;
  const std::size_t workers = this_fiber().runner->home.worker_count();
  const std::size_t shares = workers <= most_dealt ? workers : 2;
  if (count < shares) (void)run_share(first, last);
  else deal(first, last, count / shares, count % shares);
}

/// The caller keeps the first of equal shares, and the bodies that are over. The others lie in its deque. Where each
/// half had one of an odd number of bodies more, the caller took the last one from the thief, whose part then waited
/// for the caller, and so did the loop: 3 bodies of 4.2 us took 12.8 us on two workers where a line takes 200 ns from
/// core to core, and take 9.1; 5 15.7 and 13.0; 21 50.6 and 48.3.
void loop::deal(std::size_t first, std::size_t last, std::size_t share, std::size_t over) {
  if (last - first <= share) {
    const bool quick = run_share(first, last) >= few_bodies;
    if (ended_quick_.load(seam::memory_order_relaxed) != quick) ended_quick_.store(quick, seam::memory_order_relaxed);
    return;
  }
  const std::size_t dealt = last - first > share + over ? share : 1;
  const std::size_t end = last - dealt;
  fork([this, first, end, share, over] { deal(first, end, share, over); },
       [this, end, last] { (void)run_share(end, last); });
}

/// If nobody knows how quick bodies are, the first one tells.
loop::batch loop::run_share(std::size_t first, std::size_t last) {
  if (scope_.must_stop()) return 0;
  if (last - first > too_few_to_time || pieces_.is != loop_pieces::form::bodies)
    return run_anew(first, last, expects_quick_ ? std::min(few_bodies, (last - first + 7) / 8) : 0);
  run_tree(first, last, 1);
  return 0;
}

/// The rest is the caller's again with what its bodies have shown, or a thief's, which knows what was known before.
template <class Bodies>
loop::batch loop::run_before_rest(const Bodies& bodies, std::size_t first, std::size_t last, batch quick) {
  fiber& caller = this_fiber();
  if (expects_slow_) caller.jobs.request();  // the next fork shows the rest
  batch seen = quick;
  fork([&seen, &bodies] { seen = bodies(); },
       [this, &seen, &caller, first, last, quick] {
         if (&this_fiber() == &caller) seen = run_range(first, last, seen);
         else (void)run_anew(first, last, quick);
       });
  return seen;
}

loop::batch loop::run_behind_first(std::size_t first, std::size_t last) {
  return run_before_rest([this, first] { return call_alone(first, true); }, first + 1, last, 0);
}

/// Far from the bodies that were seen last: if nothing is known, the first one alone tells how quick these are.
loop::batch loop::run_anew(std::size_t first, std::size_t last, batch quick) {
  if (quick == 0 && last - first > 1) return run_behind_first(first, last);
  return run_range(first, last, quick);
}

/// Runs a range: in pieces if bodies are quick, else half by half. While a body runs, the other half of its range lies
/// in the deque, and so do the other halves of all ranges around: no thief waits for a body. Of slow bodies every
/// eighth is timed: reading the clock takes 20 ns.
loop::batch loop::run_range(std::size_t first, std::size_t last, batch quick) {
  while (!scope_.must_stop()) {
    if (quick == 0 || last - first > most_in_turn_) {
      if (last - first == 1) return call_alone(first, first % 8 == 0);
      return halve_range(first, last, quick);
    }
    first = call_in_pieces(first, last, quick);
    if (first == last) return quick;
  }
  return quick;
}

loop::batch loop::halve_range(std::size_t first, std::size_t last, batch quick) {
  const std::size_t middle = first + (last - first) / 2;
  return run_before_rest([this, first, middle, quick] { return run_range(first, middle, quick); }, middle, last, quick);
}

/// Each box takes a call and 50 ns to find. So pieces end where boxes do, and have fewer parts: 400 x 400 floats were
/// transposed in 300 calls and 31 us on two workers, and are in 100 calls and 27.
std::size_t loop::fitting(std::size_t first, std::size_t last, std::size_t length) const noexcept {
  if (pieces_.is != loop_pieces::form::boxes || length == 0) return length;
  const std::size_t box = std::bit_floor(length);
  std::size_t end = (first + length) / box * box;
  if (end < first + length / 2) end += box;
  return end <= last ? end - first : length;
}
std::size_t loop::part_of(std::size_t length) const noexcept {
  if (expects_quick_) return length;
  const std::size_t part = part_of_piece(length);
  return pieces_.is == loop_pieces::form::boxes ? std::max(part, length / 4) : part;
}

/// Calls the bodies of a piece. If some are slow, others take the parts that have not begun.
void loop::call_in_parts(std::size_t first, std::size_t last, std::size_t most) {
  if (last - first <= most) return call_piece(first, last);
  if (scope_.must_stop()) return;
  const std::size_t middle = first + (last - first) / 2;
  tell_of_push(this_fiber());
  fork_privately([this, first, middle, most] { call_in_parts(first, middle, most); },
                 [this, middle, last, most] { call_in_parts(middle, last, most); });
}

/// Calls the bodies piece by piece, and lets a thief that asks have half of the remaining indices. Returns the first
/// index that was not called: `last`, unless a piece was slow.
std::size_t loop::call_in_pieces(std::size_t first, std::size_t last, batch& quick) {
  const std::uint64_t began = coarse_ticks();
  std::uint64_t before = began;
  std::size_t length = 0;  // of the last piece
  std::uint64_t took = 1;
  while (first != last) {
    if (scope_.must_stop()) return last;
    const std::size_t left = last - first;
    if (left > 1 && this_fiber().jobs.requested() && left * took > too_short_to_halve * length) {
      quick = halve_range(first, last, quick);
      return last;
    }
    length = fitting(first, last, next_piece(left, quick, before - began_));
    call_in_parts(first, first + length, part_of(length));
    first += length;
    const std::uint64_t now = coarse_ticks();
    took = now - before;
    before = now;
    const std::uint64_t aim = ticks_per_look(now - began);
    if (took > 4 * aim) had_slow_.store(true, seam::memory_order_relaxed);
    quick = took > slow_piece_ticks ? 0 : next_step(quick, took, aim);
    if (quick == 0) break;
  }
  return first;
}

/// The first body is called by itself: if bodies have become slow, others wait for that one alone. Where there are few
/// bodies, others wait for a quarter of them at most. Reading the clock takes as long as ten bodies.
std::size_t loop::run_alone(std::size_t first, std::size_t count, std::uint64_t most_ticks) {
  lone_pieces pieces(1, most_ticks);
  const bool few = count < std::size_t{8} * this_fiber().runner->home.worker_count();
  const std::size_t most = few ? std::max<std::size_t>(1, count / 4) : count;
  while (first != count && !scope_.must_stop()) {
    const std::size_t length = std::min({pieces.step(), most, count - first});
    call_piece(first, first + length);
    first += length;
    if (first == count) break;
    pieces.piece_ended();
    if (pieces.are_over()) return first;
  }
  return count;
}

void loop::run_tree(std::size_t first, std::size_t last, std::size_t grain) {
  if (scope_.must_stop()) return;
  if (last - first <= grain) return call_leaf(first, last);
  const std::size_t middle = first + (last - first) / 2;
  fork([this, first, middle, grain] { run_tree(first, middle, grain); },
       [this, middle, last, grain] { run_tree(middle, last, grain); });
}

void loop::run_planned(std::size_t first, std::size_t last, std::size_t grain) {
  if (this_fiber().cursor == nullptr) return run_lazily(first, last);
  if (scope_.must_stop()) return;
  if (last - first <= grain) return call_leaf(first, last);
  const std::size_t middle = first + (last - first) / 2;
  fork([this, first, middle, grain] { run_planned(first, middle, grain); },
       [this, middle, last, grain] { run_planned(middle, last, grain); });
}

}  // namespace

void loop_scope::note_subtree(std::size_t bodies, std::uint64_t ticks) noexcept {
  if (ticks < look_up_ticks / 16) note_batch(8 * bodies);
  else if (ticks < look_up_ticks / 2) note_batch(2 * bodies);
  else if (ticks > 2 * look_up_ticks && bodies <= batch()) note_batch(bodies / 2);
  if (ticks >= look_up_ticks / 4 && !lasts_.load(seam::memory_order_relaxed))
    lasts_.store(true, seam::memory_order_relaxed);
}

namespace {

/// Calls the bodies of [0, count) in pieces that double, while `goes_on`. Without a scope, which takes 15 ns, and
/// without reading the clock, which takes 7: nobody else has a part of this loop. So what a body throws just leaves.
/// Returns the first position that was not called.
template <class GoesOn>
std::size_t call_in_passing(const loop_pieces& pieces, std::size_t count, std::size_t first_piece,
                            const GoesOn& goes_on) {
  std::size_t first = 0;
  while (first != count && goes_on()) {
    const std::size_t last = std::min(count, first + std::max(first, first_piece));
    pieces.call(pieces.body, first, last);
    first = last;
  }
  return first;
}

/// A loop of one leaf, as inner loops often are: 3 empty bodies take 4 to 9 ns, and took 27. A short one is called in
/// one go, so that the compiler's vectors are not cut: copies of lists with 15 numbers on average took 1.2x.
std::size_t call_one_leaf(const loop_pieces& pieces, std::size_t count, const loop_options& options) {
  if (options.cancel.can_cancel() || !nothing_is_cancelled()) return 0;
  if (pieces.is != loop_pieces::form::ranges && count > most_in_one_go)
    return call_in_passing(pieces, count, most_in_one_go, [] { return nothing_is_cancelled(); });
  pieces.call(pieces.body, 0, count);
  return count;
}

/// With a given grain.
void run_in_leaves(const loop_pieces& pieces, std::size_t count, const loop_options& options) {
  const std::size_t first = count <= options.grain ? call_one_leaf(pieces, count, options) : 0;
  if (first == count) return;
  in_loop_scope(options.cancel,
                [&](loop_scope& scope) { loop(pieces, scope, count).run_tree(first, count, options.grain); });
}

/// As usual or alone, whatever was faster at this place. Alone, nobody asks for work, or not for long.
void run_perhaps_alone(const loop_pieces& pieces, std::size_t count, const loop_options& options) {
  short_loop seen(reinterpret_cast<std::uintptr_t>(pieces.call), count);
  std::size_t first = 0;
  bool opened = false;
  if (seen.runs_alone() && !options.cancel.can_cancel())
    first = call_in_passing(pieces, count, 1,
                            [&jobs = this_fiber().jobs] { return !jobs.requested() && nothing_is_cancelled(); });
  if (first != count)
    in_loop_scope(options.cancel, [&](loop_scope& scope) {
      loop all(pieces, scope, count);
      if (seen.runs_alone()) first = all.run_alone(first, count, seen.most_ticks());
      if (first == count) return;
      all.expect(seen.runs_alone() ? bodies_seen::some_slow : seen.bodies(), count);
      all.begin_to_share();
      all.run_planned(first, count, deterministic_grain(count, 0));
      opened = seen.runs_alone();
      seen.note_bodies(all.bodies());
    });
  seen.ended(opened);
}

}  // namespace

void run_loop(std::size_t count, const loop_pieces& pieces, const loop_options& options, const call_site& where) {
  if (!thread_mark()) return run([&] { run_loop(count, pieces, options, where); }, where);
  if (options.grain != 0) run_in_leaves(pieces, count, options);
  else if (count != 1 || call_one_leaf(pieces, count, options) == 0) run_perhaps_alone(pieces, count, options);
}

}  // namespace nearfork::detail
