// What a poll says of tasks that wait for too long, or for ever.
#include <algorithm>
#include <cstdio>

#include "mpi/engine.hpp"
#include "mpi/process.hpp"

namespace nearfork::mpi {
namespace {

constexpr std::uint64_t second = 1'000'000'000;
/// How often the poller looks at how long tasks have waited.
constexpr std::uint64_t look_every = second / 10;
/// A report names so many waits, the longest first.
constexpr std::size_t most_named = 20;

std::string duration(std::uint64_t ns) {
  return std::to_string(ns / second) + "." + std::to_string(ns / (second / 10) % 10) + " s";
}

std::string more(std::size_t waits) {
  return waits > most_named ? "  and " + std::to_string(waits - most_named) + " more\n" : std::string();
}

}  // namespace

std::string engine::who() const {
  return "nearfork: rank " + std::to_string(rank_) + " of " + std::to_string(ranks_) + ": ";
}

std::string engine::text_of_wait(const awaited& one, std::uint64_t now) const {
  return "  " + text_of(one.what) + ", for " + duration(now - std::min(now, one.since_ns)) + ", called at " +
         text_of(one.what.where) + "\n";
}

void engine::tell_long_waits(std::uint64_t now) {
  const std::uint64_t most = stall_ns_.load(std::memory_order_relaxed);
  if (most == 0 || now - looked_for_stalls_ns_ < look_every) return;
  looked_for_stalls_ns_ = now;
  std::vector<awaited*> late;
  for (awaited* const one : listed_)
    if (!one->told && now - std::min(now, one->since_ns) >= most) late.push_back(one);
  if (late.empty()) return;
  std::ranges::sort(late, {}, &awaited::since_ns);
  std::string text = who() + std::to_string(late.size()) + (late.size() == 1 ? " task has" : " tasks have") +
                     " waited for more than " + duration(most) + " (mpi_stall_s):\n";
  const auto held = lock();
  for (std::size_t i = 0; i < late.size(); ++i) {
    late[i]->told = true;
    if (i < most_named) text += text_of_wait(*late[i], now);
  }
  std::fputs((text + more(late.size())).c_str(), stderr);
}

bool engine::end_at_next_poll(int signal) noexcept {
  signal_.store(signal, std::memory_order_relaxed);
  return waits_.load(std::memory_order_relaxed) > 0;
}

void engine::tell_all_and_end(int signal) noexcept {
  const std::uint64_t now = steady_ns();
  std::ranges::sort(listed_, {}, &awaited::since_ns);
  std::string text = who() + "ended by signal " + std::to_string(signal) + " while " + std::to_string(listed_.size()) +
                     (listed_.size() == 1 ? " task waited:\n" : " tasks waited:\n");
  {
    const auto held = lock();
    for (std::size_t i = 0; i < std::min(listed_.size(), most_named); ++i) text += text_of_wait(*listed_[i], now);
  }
  std::fputs((text + more(listed_.size())).c_str(), stderr);
  end_by(signal);
}

}  // namespace nearfork::mpi
