#include "runtime/recording/iteration_log.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "runtime/recording/touched_data.hpp"

namespace nearfork::detail {
namespace {

/// So few that the numbers that workers have drawn and not used are a small part of the room.
std::uint32_t numbers_at_once(std::uint32_t workers, std::uint32_t most_tasks) {
  constexpr std::uint32_t enough = 1024;
  return std::clamp(most_tasks / (64 * std::max(1U, workers)), 1U, enough);
}

template <class Narrow, class Wide>
bool fits(Wide value) noexcept {
  return value >= std::numeric_limits<Narrow>::min() && value <= std::numeric_limits<Narrow>::max();
}

}  // namespace

iteration_log::iteration_log(std::uint32_t workers, std::uint32_t most_tasks, std::optional<recorded_root> recorded,
                             const recording_clock& clock)
    : logs_(workers),
      most_tasks_(most_tasks),
      drawn_at_once_(numbers_at_once(workers, most_tasks)),
      recorded_(recorded),
      clock_(clock),
      started_ns_(now_ns()) {}

std::uint32_t iteration_log::draw(std::uint32_t count) noexcept {
  // Relaxed: the number publishes nothing.
  std::uint32_t first = drawn_.load(seam::memory_order_relaxed);
  do {
    if (first > most_tasks_ || count > most_tasks_ - first) return 0;
  } while (!drawn_.compare_exchange_weak(first, first + count, seam::memory_order_relaxed));
  return first;
}

/// Large families get numbers of their own, so that the rest of a worker's numbers is not thrown away.
std::uint32_t iteration_log::draw_numbers(worker_log& log, std::uint32_t count) noexcept {
  if (count < drawn_at_once_ / 8) {
    if (const std::uint32_t first = draw(drawn_at_once_); first != 0) {
      log.next_number = first + count;
      log.numbers_end = first + drawn_at_once_;
      log.births += count;
      return first;
    }
  }
  const std::uint32_t first = draw(count);
  if (first == 0) outgrown_.store(true, seam::memory_order_relaxed);
  else log.births += count;
  return first;
}

noting iteration_log::note(std::uint32_t on_worker, const work_piece& piece) noexcept {
  worker_log& log = logs_[on_worker];
  constexpr std::uint32_t most_branching = (1U << 15) - 1;
  const bool narrow =
      fits<std::int32_t>(piece.ticks) && fits<std::uint16_t>(piece.stretch) && piece.branching <= most_branching;
  const noting how = narrow ? log.pieces.add({.task = piece.task,
                                              .first_child = piece.first_child,
                                              .ticks = static_cast<std::int32_t>(piece.ticks),
                                              .stretch = static_cast<std::uint16_t>(piece.stretch),
                                              .branching = static_cast<std::uint16_t>(piece.branching & most_branching),
                                              .spawned = piece.spawned})
                            : log.wide_pieces.add(piece);
  if (how == noting::lost) [[unlikely]]
    lose();
  return how;
}

std::uint32_t iteration_log::note_birth(std::uint32_t on_worker, work_piece piece) noexcept {
  piece.first_child = take_numbers(on_worker, piece.branching);
  if (piece.first_child != 0) (void)note(on_worker, piece);
  return piece.first_child;
}

std::uint32_t iteration_log::note_fork(std::uint32_t on_worker, const noted_place& parent,
                                       std::uint32_t branching) noexcept {
  return note_birth(on_worker, {.task = parent.task, .stretch = parent.stretch, .branching = branching});
}

std::uint32_t iteration_log::note_spawn(std::uint32_t on_worker, const noted_place& parent) noexcept {
  return note_birth(on_worker, {.task = parent.task, .stretch = parent.stretch, .branching = 1, .spawned = true});
}

void iteration_log::note_spawn_of(std::uint32_t on_worker, const noted_place& parent, std::uint32_t number) noexcept {
  (void)note(on_worker,
             {.task = parent.task, .stretch = parent.stretch, .first_child = number, .branching = 1, .spawned = true});
}

void iteration_log::note_flow(noted_flow one) {
  const std::lock_guard now(noting_flows_);
  flows_.push_back(std::move(one));
}

void iteration_log::note_misses(std::uint32_t on_worker, const noted_misses& one) noexcept {
  if (one.bytes > 0 && logs_[on_worker].misses.add(one) == noting::lost) lose();
}

void iteration_log::note_uncounted(std::uint32_t on_worker, const std::string& why) noexcept {
  std::string& noted = logs_[on_worker].misses_not_counted;
  if (why.empty() || !noted.empty()) return;
  try {
    noted = why;
  } catch (const std::bad_alloc&) {
    noted = "no memory";  // short enough to need none
  }
}

namespace {

/// False: no program has that much, so the hint is wrong.
bool is_possible(const recordings::data_access& access) noexcept {
  return access.begin_byte < touched_data::address_end &&
         extent_bytes(access) < touched_data::address_end - access.begin_byte;
}

}  // namespace

void iteration_log::note_declared(std::uint32_t on_worker, const noted_access& one) noexcept {
  if (!is_possible(one.access)) return lose();
  if (logs_[on_worker].accesses.add(one) == noting::lost) lose();
}

void iteration_log::note_access(std::uint32_t on_worker, const noted_access& one) noexcept {
  const recordings::data_access& access = one.access;
  if (!is_possible(access)) return lose();
  if (noted_access* const before = logs_[on_worker].accesses.last()) {
    recordings::data_access& last = before->access;
    const bool follows = before->task == one.task && before->stretch == one.stretch && last.count == 1 &&
                         access.count == 1 && last.kind == access.kind &&
                         last.begin_byte + last.size_bytes == access.begin_byte;
    if (follows) {
      last.size_bytes += access.size_bytes;
      return;
    }
  }
  note_declared(on_worker, one);
}

std::uint32_t iteration_log::tasks() const noexcept {
  std::uint32_t sum = 1;  // the root
  for (const worker_log& one : logs_) sum += one.births;
  return sum;
}

}  // namespace nearfork::detail
