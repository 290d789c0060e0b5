#include "runtime/wakes/woken_apart.hpp"

#include <algorithm>
#include <bit>
#include <exception>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/process_number.hpp"
#include "machine/live/affinity.hpp"
#include "machine/live/mask_words.hpp"
#include "memory/system/calling_pu.hpp"

namespace nearfork {
namespace {

std::size_t pus_in(const std::vector<unsigned long>& mask) noexcept {
  std::size_t count = 0;
  for (const unsigned long word : mask) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

/// CPUID 1H, ECX bit 31.
bool is_virtual_machine() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 31 & 1U) != 0;
#else
  return false;
#endif
}

/// Keeps a thread off `pu`, which may otherwise run as `mask` says. False: it may run nowhere else, or the system
/// refuses.
bool keep_off(int thread, std::uint32_t pu, std::vector<unsigned long>& mask) noexcept {
  if (pu / bits_per_word >= mask.size()) return false;
  unsigned long& word = mask[pu / bits_per_word];
  const unsigned long bit = 1UL << pu % bits_per_word;
  if ((word & bit) == 0 || pus_in(mask) < 2) return false;
  word &= ~bit;
  const bool done = set_affinity_of(thread, mask) == 0;
  word |= bit;
  return done;
}

}  // namespace

bool apart_sleeper::begins_to_set(state from) noexcept {
  return state_.compare_exchange_strong(from, state::being_set, detail::seam::memory_order_acquire,
                                        detail::seam::memory_order_relaxed);
}

void apart_sleeper::end_setting(state to) noexcept {
  state_.store(to, detail::seam::memory_order_release);
}

std::uint32_t woken_apart::pu_of_caller() noexcept {
  return static_cast<std::uint32_t>(number_of(calling_pu()));
}

void woken_apart::open(std::size_t threads) noexcept {
  try {
    std::vector<unsigned long> mask;
    if (read_affinity(mask) != 0 || pus_in(mask) < std::max<std::size_t>(threads, 2)) return;
    starter_ = pu_of_caller();
    if (is_virtual_machine()) expect_stacking();
    words_ = mask.size();
  } catch (const std::exception&) {
    words_ = 0;  // no memory: the system's choice will do
  }
}

void woken_apart::starts(apart_sleeper& self) noexcept {
  if (words_ == 0) return;
  try {
    self.mask_.resize(words_);
    self.target_.resize(words_);
  } catch (const std::exception&) {
    return;
  }
  self.kept_off_ = starter_;
  self.thread_.store(thread_number(), detail::seam::memory_order_release);
  if (pu_of_caller() == starter_) {
    some_pus beside;
    beside.add(starter_);
    (void)move_off(self, beside);
  }
  runs(self);
}

void woken_apart::goes_to_sleep(apart_sleeper& self) noexcept {
  const int thread = self.thread_.load(detail::seam::memory_order_relaxed);
  if (thread == 0 || !is_needed_.load(detail::seam::memory_order_relaxed)) return;
  if (!self.begins_to_set(apart_sleeper::free)) return;
  bool done = read_affinity_of(thread, self.mask_) == 0;
  // Here it would be moved at once, behind whatever runs elsewhere, before it sleeps. The next waker sees to it.
  if (self.kept_off_ == pu_of_caller()) self.kept_off_ = apart_sleeper::nowhere;
  if (self.kept_off_ != apart_sleeper::nowhere) done = done && keep_off(thread, self.kept_off_, self.mask_);
  self.end_setting(done ? apart_sleeper::restricted : apart_sleeper::free);
}

void woken_apart::before_wake(apart_sleeper& sleeper) noexcept {
  const int thread = sleeper.thread_.load(detail::seam::memory_order_acquire);
  if (thread == 0) return;
  const std::uint32_t here = pu_of_caller();
  sleeper.woken_from_.store(here, detail::seam::memory_order_relaxed);
  if (!sleeper.begins_to_set(apart_sleeper::restricted)) return;
  bool done = sleeper.kept_off_ == here || keep_off(thread, here, sleeper.mask_);
  if (!done) done = set_affinity_of(thread, sleeper.mask_) != 0;  // it may not run here anyway: no restriction is left
  sleeper.kept_off_ = here;
  sleeper.end_setting(done ? apart_sleeper::restricted : apart_sleeper::free);
}

void woken_apart::is_up(apart_sleeper& self) noexcept {
  if (self.thread_.load(detail::seam::memory_order_relaxed) == 0) return;
  const std::uint32_t from = self.woken_from_.exchange(apart_sleeper::nowhere, detail::seam::memory_order_relaxed);
  if (from != apart_sleeper::nowhere && from == pu_of_caller()) expect_stacking();
  while (!self.begins_to_set(apart_sleeper::free)) {
    if (self.begins_to_set(apart_sleeper::restricted)) {
      (void)set_affinity_of(0, self.mask_);
      break;
    }
    detail::seam::yield();  // another thread is setting it
  }
  if (from != apart_sleeper::nowhere) self.kept_off_ = from;
  self.end_setting(apart_sleeper::free);
  runs(self);
}

void woken_apart::runs(apart_sleeper& self) noexcept {
  if (self.thread_.load(detail::seam::memory_order_relaxed) == 0) return;
  const std::uint32_t here = pu_of_caller();
  if (pu_of(self) != here) self.runs_on_.store(here, detail::seam::memory_order_relaxed);
}

/// The system moves a thread that waits for its PU as soon as it may not run there. It stays where it came to.
bool woken_apart::move_off(apart_sleeper& one, const some_pus& pus) noexcept {
  const int thread = one.thread_.load(detail::seam::memory_order_acquire);
  if (thread == 0 || !one.begins_to_set(apart_sleeper::free)) return false;
  bool moved = false;
  bool is_free = true;
  if (read_affinity_of(thread, one.mask_) == 0) {
    for (std::size_t i = 0; i < words_; ++i) one.target_[i] = one.mask_[i] & ~pus.word(i);
    moved = pus_in(one.target_) != 0 && set_affinity_of(thread, one.target_) == 0;
    if (moved) is_free = set_affinity_of(thread, one.mask_) == 0;
  }
  if (moved) one.runs_on_.store(nowhere, detail::seam::memory_order_relaxed);
  one.end_setting(is_free ? apart_sleeper::free : apart_sleeper::restricted);
  return moved;
}

}  // namespace nearfork
