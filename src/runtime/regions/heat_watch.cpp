#include "runtime/regions/heat_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include <nearfork/detail/recording.hpp>

#include "base/monotonic_clock.hpp"
#include "base/text/message_text.hpp"
#include "runtime/regions/hinted_heat.hpp"
#include "sensors/hotness/window_pace.hpp"

namespace nearfork {

heat_watch::heat_watch(std::shared_ptr<hotness> by, const data_layout& data)
    : by_(std::move(by)), data_(chunks_of(data)), free_pages_(data.free_pages), seen_(data_.chunks.size(), 0) {
  try {
    if (by_->can_watch()) thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& refused) {
    why_not_ = std::string("no thread to watch with: ") + refused.what();
  }
  if (hears_hints()) detail::recording_runtimes.fetch_add(1, detail::seam::memory_order_relaxed);
}

heat_watch::~heat_watch() {
  stop();
  if (hears_hints()) detail::recording_runtimes.fetch_sub(1, detail::seam::memory_order_relaxed);
}

void heat_watch::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void heat_watch::run() noexcept {
  try {
    hotness::turn mine(*by_);
    if (mine.is_mine()) watch_by_best(mine);
    else why_not_ = "another region was gauged at the same time";
  } catch (const std::exception& failed) {
    why_not_ = failed.what();
    std::ranges::fill(seen_, 0.0);
  }
}

/// A source that fails while it watches is given up; the next one has the rest of the iteration.
void heat_watch::watch_by_best(hotness::turn& mine) {
  struct source_end {
    heat_source& of;
    ~source_end() { of.end(); }
  };
  while (heat_source* const best = mine.begin(data_.addresses)) {
    source_ = best->name();
    scans_ = 0;
    std::optional<heat_refusal> refused;
    std::uint64_t elsewhere_ns = 0;
    {
      const source_end at_end{*best};
      refused = watch(*best);
      elsewhere_ns = best->cost_elsewhere_ns();
    }
    cost_ns_ = by_->system().thread_time_ns() + elsewhere_ns;  // the thread does nothing else
    if (!refused) return;
    by_->give_up(best->name(), *std::move(refused));
    std::ranges::fill(seen_, 0.0);
    scans_ = 0;
    source_.clear();
  }
}

std::optional<heat_refusal> heat_watch::watch(heat_source& by) {
  const std::uint64_t began_ns = now_ns();
  window_pace pace(by.least_window_ns(), by_->most_cost());
  for (;;) {
    if (auto refused = by.open_window()) return refused;
    const std::uint64_t cost_ns = by_->system().thread_time_ns() + by.cost_elsewhere_ns();
    const bool goes_on = wait(pace.next_ns(now_ns() - began_ns, cost_ns));
    if (auto refused = by.close_window(seen_)) return refused;
    ++scans_;
    if (!goes_on) return std::nullopt;
  }
}

/// False: the iteration has ended.
bool heat_watch::wait(std::uint64_t window_ns) {
  std::unique_lock lock(mutex_);
  return !ended_.wait_for(lock, std::chrono::nanoseconds(window_ns), [this] { return ends_; });
}

std::string heat_watch::cost_line(std::uint64_t duration_ns) const {
  char text[96];
  const double percent =
      100 * static_cast<double>(cost_ns_) / static_cast<double>(std::max<std::uint64_t>(1, duration_ns));
  std::snprintf(text, sizeof text, ", which took %.3f ms, %.2f %% of the gauged iteration",
                static_cast<double>(cost_ns_) / 1e6, percent);
  return source_ + ": " + counted(scans_, "look") + text;
}

gauging heat_watch::gauged(detail::iteration_log& log, std::uint64_t duration_ns) {
  std::vector<double> hinted(data_.chunks.size(), 0);
  const bool has_hints = hears_hints() && add_hinted_heat(log, data_.addresses, hinted);
  const bool has_seen = std::ranges::any_of(seen_, [](double heat) { return heat > 0; });
  line_ = "hotness: ";
  if (has_hints) line_ += "by hints";
  else if (has_seen) line_ += "by " + cost_line(duration_ns);
  else line_ += "not known" + (why_not_.empty() ? "" : ": " + why_not_);
  if (!source_.empty() && !(has_seen && !has_hints)) line_ += "; " + cost_line(duration_ns);
  if (!source_.empty() && static_cast<double>(cost_ns_) > by_->most_cost() * static_cast<double>(duration_ns)) {
    by_->give_up(source_,
                 {cost_line(duration_ns),
                  "make iterations longer, give hints (nearfork::reads, writes), or allow more by option hotness_cost"},
                 true);
    char most[64];
    std::snprintf(most, sizeof most, "; switched off, because it may take %.1f %%", 100 * by_->most_cost());
    line_ += most;
  }
  gauging made{.free_pages = free_pages_};
  if (!has_hints && !has_seen) return made;
  made.chunks = std::move(data_.chunks);
  for (std::size_t i = 0; i < made.chunks.size(); ++i) made.chunks[i].heat = has_hints ? hinted[i] : seen_[i];
  return made;
}

}  // namespace nearfork
