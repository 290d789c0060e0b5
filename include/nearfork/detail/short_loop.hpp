// Loops of some microseconds: whether the worker that calls one runs it alone, and for how long it may.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nearfork/detail/coarse_ticks.hpp>

namespace nearfork::detail {

struct worker;

/// How often a loop looks for requests of thieves at first: every 2-8 microseconds at the usual counter frequencies.
#if defined(__x86_64__)
inline constexpr std::uint64_t look_up_ticks = 8000;
#else
inline constexpr std::uint64_t look_up_ticks = 100;  // the counter runs at 24 MHz to 1 GHz
#endif

/// The length of the next piece, after one of `step` bodies: it doubles, halves, or grows eightfold if that is safe.
[[nodiscard]] constexpr std::size_t next_step(std::size_t step, std::uint64_t took, std::uint64_t aim) noexcept {
  if (took < aim / 16) return step * 8;
  if (took < aim / 2) return step * 2;
  return took > aim * 2 && step > 1 ? step / 2 : step;
}

/// Pieces of so many bodies have parts, which others may take; larger ones have not.
inline constexpr std::size_t few_bodies = 32;

/// The length of the next piece of `left` bodies, of which `quick` make a piece. A loop that has taken long enough for
/// some more looks (6 us) comes to the end of its ranges in smaller and smaller pieces: 16 bodies of 100 us behind
/// 20,000 of 20 ns lay in one (1.6 ms on two workers, and 1.0 so), and behind 4000 of 5 ns (1.16 and 0.6). Else two
/// pieces are left at least, or one: the last piece is none of a few bodies.
[[nodiscard]] constexpr std::size_t next_piece(std::size_t left, std::size_t quick,
                                               std::uint64_t age_of_loop) noexcept {
  if (age_of_loop > 2 * look_up_ticks) return std::min({left, quick, std::max(left / 2, few_bodies)});
  return left <= quick + quick / 2 ? left : std::min(quick, (left + 1) / 2);
}

/// A loop of one leaf calls up to so many bodies, or folds so many values, in one go. Longer leaves look for
/// cancellations: a scope and the clock take 30 ns.
inline constexpr std::size_t most_in_one_go = 64;

/// How many bodies of a piece a worker calls in turn, while others may take the rest. A piece of few bodies has up to
/// eight parts: 64 quick bodies, the last two of 4 ms, took 8 ms on two workers. A part takes 4 ns. Larger pieces
/// are not cut: their bodies take less than 0.1 us, or there are many of them.
[[nodiscard]] std::size_t part_of_piece(std::size_t bodies) noexcept;
/// How many leaves of a fold a worker takes in turn, however quick they are: an eighth if others may help. A fold of 16
/// values, the last four of 4 ms, took 16 ms on two workers.
[[nodiscard]] std::size_t most_leaves_in_turn(std::size_t count) noexcept;

/// What the bodies of a loop were like when it was shared.
enum class bodies_seen : std::uint8_t {
  unknown,
  all_quick,
  some_slow,
};

/// One call of a loop, in a worker. Loops of one place that are about as long are timed at times, as usual and alone.
class short_loop {
 public:
  /// `code`: an address that only this loop's body has.
  short_loop(std::uintptr_t code, std::size_t count) noexcept;
  [[nodiscard]] bool runs_alone() const noexcept { return alone_; }
  /// Alone, the loop may take so long. Then what is left is open to others.
  [[nodiscard]] std::uint64_t most_ticks() const noexcept { return most_ticks_; }
  /// The last time.
  [[nodiscard]] bodies_seen bodies() const noexcept { return bodies_; }
  /// For the next time.
  void note_bodies(bodies_seen now) noexcept { bodies_ = now; }
  /// The loop has ended. `opened`: alone, it took too long. A loop that throws need not say so.
  void ended(bool opened) noexcept {
    if (caller_ != nullptr) remember(opened);
  }

 private:
  void remember(bool opened) noexcept;

  std::uintptr_t code_;
  std::size_t count_;
  worker* caller_ = nullptr;  // nullptr: loops like this one are never run alone
  bool is_new_ = false;       // not known to be other than brief
  bool alone_ = false;
  bool timed_ = false;
  bodies_seen bodies_ = bodies_seen::unknown;
  std::uint32_t era_ = 0;  // of the worker's trial
  std::uint64_t most_ticks_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t shared_before_ = 0;  // so often the caller had given jobs to others
};

/// The pieces of a loop that runs alone: they grow while bodies are quick. So a loop whose bodies have become slow is
/// open to others soon.
class lone_pieces {
 public:
  lone_pieces(std::size_t first_piece, std::uint64_t most_ticks) noexcept : step_(first_piece), most_(most_ticks) {}
  /// How many bodies the next piece may have.
  [[nodiscard]] std::size_t step() const noexcept { return step_; }
  /// How long all pieces have taken.
  [[nodiscard]] std::uint64_t ticks() const noexcept { return before_ - began_; }
  /// The loop has taken too long.
  [[nodiscard]] bool are_over() const noexcept { return ticks() > most_; }
  void piece_ended() noexcept {
    const std::uint64_t now = coarse_ticks();
    step_ = next_step(step_, now - before_, look_up_ticks);
    before_ = now;
  }

 private:
  std::size_t step_;
  std::uint64_t most_;
  std::uint64_t began_ = coarse_ticks();
  std::uint64_t before_ = began_;
};

}  // namespace nearfork::detail
