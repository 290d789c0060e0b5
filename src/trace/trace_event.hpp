// What a worker notes of its work: one event of a fixed size. The runtime and the simulator note the same events.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearfork::traces {

/// The comments say what the event's members mean.
enum class event_kind : std::uint8_t {
  none,           // no event: a word that nobody wrote
  task_begins,    // subject: the job; detail: task_origin
  task_ends,      // subject: the job
  takes_steal,    // subject: the job; value: the fiber of its deque; number: the victim; detail: steal_distance
  shares,         // subject: the fiber whose deque got shared jobs, by its owner
  shares_forced,  // the same, by a thief; number: the owner
  sends,          // subject: the job; number: the domain whose pool gets it
  switches,  // subject: the fiber that the worker goes on with; value: the one that it leaves; detail: switch_cause
  parks,     // the worker goes to sleep
  wakes,     // number: the worker that is woken; detail: wake_cause
  woken,     // detail: wake_cause
  region_begins,  // name: the region; value: the iteration's number; detail: iteration_word
  region_ends,    // detail: 1 if the iteration is complete
  plan_changes,   // name: the region; number: the name that says why
  pages_move,     // name: the region; value: bytes
  span_begins,    // name: the program's
  span_ends,      //
  counts          // name: the program's; value: the bits of a double
};
inline constexpr std::size_t event_kinds = 18;

/// Before the worker's number: the name of the counter of its stalls on memory. Readers know it by that.
inline constexpr std::string_view stalls_of_worker = "ns of stalls on memory of worker ";

/// Where a task that begins on a worker comes from.
/// From `subtree` on it runs inside another one: a fork's child, a task of a group, a dataflow task.
enum class task_origin : std::uint8_t { pool, injector, caller, stolen, subtree, forked, spawned, dataflow };
inline constexpr std::size_t task_origins = 8;

enum class switch_cause : std::uint8_t { begins, waits, resumes, is_sent, is_given, leaves };
inline constexpr std::size_t switch_causes = 6;

/// Why a worker wakes up. `caller`: a thread from outside works in its place.
enum class wake_cause : std::uint8_t { outside, shared_work, pool_work, stop, caller };
inline constexpr std::size_t wake_causes = 5;

enum class iteration_word : std::uint8_t { plain, profile, trial, steady };
inline constexpr std::size_t iteration_words = 4;

struct event {
  std::uint64_t at = 0;  // in a ring: ticks of its clock; in a traced_run: nanoseconds
  std::uint64_t subject = 0;
  std::uint64_t value = 0;
  std::uint32_t number = 0;
  std::uint16_t name = 0;  // of the table of names; 0: none
  event_kind kind = event_kind::none;
  std::uint8_t detail = 0;
  friend constexpr bool operator==(const event&, const event&) = default;
};

/// An event as the words of a ring.
inline constexpr std::size_t event_words = 4;
[[nodiscard]] constexpr std::array<std::uint64_t, event_words> words_of(const event& one) noexcept {
  return {one.at, one.subject, one.value,
          std::uint64_t{one.number} | std::uint64_t{one.name} << 32 |
              std::uint64_t{static_cast<std::uint8_t>(one.kind)} << 48 | std::uint64_t{one.detail} << 56};
}
[[nodiscard]] constexpr event event_of(const std::array<std::uint64_t, event_words>& words) noexcept {
  return {.at = words[0],
          .subject = words[1],
          .value = words[2],
          .number = static_cast<std::uint32_t>(words[3]),
          .name = static_cast<std::uint16_t>(words[3] >> 32),
          .kind = static_cast<event_kind>(static_cast<std::uint8_t>(words[3] >> 48)),
          .detail = static_cast<std::uint8_t>(words[3] >> 56)};
}

}  // namespace nearfork::traces
