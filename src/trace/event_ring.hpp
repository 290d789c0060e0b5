// The ring of one worker: the last events that it noted. The worker alone writes it, without a lock. If the ring is
// full, an event takes the place of the oldest one.
//
// A reader copies the ring while the worker may write (ring_reader.cpp): it reads the head, the events, and the head
// again, and keeps the events that cannot have been overwritten meanwhile. For that each word of an event is stored
// with release, after the store of the head before it: a reader that sees a word of a new event also sees a head that
// tells that the old event is gone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/even_ticks.hpp"
#include "base/process_number.hpp"
#include "trace/ring_layout.hpp"

namespace nearfork::traces {

class event_ring {
 public:
  /// `head` and `slots` are of the worker; `events` is a power of two.
  event_ring(word& head, word* slots, std::size_t events, detail::tick_source clock, int process) noexcept
      : head_(head), slots_(slots), mask_(events - 1), clock_(clock), process_(process) {}
  event_ring(const event_ring&) = delete;
  event_ring& operator=(const event_ring&) = delete;

  [[nodiscard]] std::uint64_t now() const noexcept { return detail::ticks_of(clock_); }

  /// By the ring's worker. The event happens now.
  void note(event one) noexcept {
    one.at = now();
    note_at(one);
  }
  /// The same for an event that has its time. Times of a ring never decrease.
  void note_at(const event& one) noexcept {
    if (process_number() != process_) return;  // a fork()'s child shares the file, but does not belong into the trace
    namespace seam = detail::seam;
    const std::uint64_t head = head_.load(seam::memory_order_relaxed);
    word* const slot = slots_ + (head & mask_) * event_words;
    const auto words = words_of(one);
    for (std::size_t i = 0; i < event_words; ++i) slot[i].store(words[i], seam::memory_order_release);
    head_.store(head + 1, seam::memory_order_release);
  }

  /// The number of a name that the worker has looked up before; 0: it has not. The name's characters never change.
  [[nodiscard]] std::uint16_t known(const char* name) const noexcept {
    const kept_name& kept = kept_[place_of(name)];
    return kept.text == name ? kept.number : std::uint16_t{0};
  }
  void keep(const char* name, std::uint16_t number) noexcept { kept_[place_of(name)] = {name, number}; }

 private:
  struct kept_name {
    const char* text = nullptr;
    std::uint16_t number = 0;
  };
  static constexpr std::size_t kept_names = 64;
  [[nodiscard]] static std::size_t place_of(const char* name) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(name);
    return (address ^ address >> 6) % kept_names;
  }

  word& head_;
  word* const slots_;
  const std::uint64_t mask_;
  const detail::tick_source clock_;
  const int process_;
  std::array<kept_name, kept_names> kept_{};
};

}  // namespace nearfork::traces
