#include "runtime/polling/poll_watch.hpp"

#include <algorithm>
#include <utility>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/error.hpp>

#include "base/monotonic_clock.hpp"

namespace nearfork {
namespace {

/// While it lives, what this thread resumes counts as resumed from outside. A watcher polls beside its worker's berth,
/// and a deputy may be at work in the worker's name meanwhile.
class as_outsider {
 public:
  as_outsider() noexcept : before_(std::exchange(detail::inside_worker, detail::outside)) {}
  ~as_outsider() { detail::inside_worker = before_; }
  as_outsider(const as_outsider&) = delete;
  as_outsider& operator=(const as_outsider&) = delete;

 private:
  const std::uint8_t before_;
};

/// While a watcher polls, the thread looks more rarely whether it is needed: in this many intervals, once.
constexpr std::uint64_t rare = 8;

}  // namespace

std::uint64_t nap_ns_after(std::uint64_t silence_ns) noexcept {
  constexpr std::uint64_t shortest = 20'000;
  constexpr std::uint64_t longest = 1'000'000;
  return std::clamp(silence_ns / 8, shortest, longest);
}

poll_watch::place& poll_watch::place_of(poller& asked) {
  for (place& one : places_) {
    poller* has = one.asked.load(seam::memory_order_acquire);
    if (has == &asked) return one;
    // Release: who polls sees the poller as its maker left it.
    if (has == nullptr &&
        one.asked.compare_exchange_strong(has, &asked, seam::memory_order_acq_rel, seam::memory_order_acquire))
      return one;
    if (has == &asked) return one;  // another task was faster
  }
  throw error("nearfork: the tasks of one runtime wait with more than " + std::to_string(places_.size()) +
              " pollers; let one poller ask for several sources");
}

void poll_watch::task_waits(poller& asked) {
  place_of(asked).waiting.fetch_add(1, seam::memory_order_relaxed);
  heard_at_ns_.store(now_ns(), seam::memory_order_relaxed);
  post_.task_waits();
  if (interval_ns_ != 0) thread_.wake();  // without it, tasks are resumed when a worker comes between two tasks
}

void poll_watch::task_goes_on(poller& asked) noexcept {
  for (place& one : places_)
    if (one.asked.load(seam::memory_order_relaxed) == &asked) one.waiting.fetch_sub(1, seam::memory_order_relaxed);
  post_.task_goes_on();
}

void poll_watch::poll() noexcept {
  if (!post_.wanted()) return;
  // Acquire and release: a poller's state passes from one thread to the next.
  if (polling_.exchange(true, seam::memory_order_acquire)) return;
  bool heard = false;
  for (place& one : places_)
    if (one.waiting.load(seam::memory_order_relaxed) > 0)
      if (one.asked.load(seam::memory_order_acquire)->poll()) heard = true;
  const std::uint64_t now = now_ns();
  polled_at_ns_.store(now, seam::memory_order_relaxed);
  if (heard) heard_at_ns_.store(now, seam::memory_order_relaxed);
  polling_.store(false, seam::memory_order_release);
}

void poll_watch::nap(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  const std::uint64_t now = now_ns();
  const std::uint64_t heard = std::min(now, heard_at_ns_.load(seam::memory_order_relaxed));
  seam::futex_wait_for(word, expected, nap_ns_after(now - heard));
  if (word.load(seam::memory_order_relaxed) != expected) return;
  const as_outsider here;
  poll();
}

void poll_watch::sleeper::operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected,
                                     std::optional<std::uint64_t> most_ns) noexcept {
  if (watches_ && of_.post_.leave_if_unwanted()) watches_ = false;
  if (watches_) of_.nap(word, expected);
  else if (most_ns) seam::futex_wait_for(word, expected, *most_ns);
  else seam::futex_wait(word, expected);
}

std::uint64_t poll_watch::poll_for_others() noexcept {
  if (!wanted()) return 0;
  if (!post_.taken()) poll_if_due();
  return post_.taken() ? rare * interval_ns_ : interval_ns_;
}

}  // namespace nearfork
