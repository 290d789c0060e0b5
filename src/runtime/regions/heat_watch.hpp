// Watches a region's data in one iteration, on a thread of its own: no task waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/recording/iteration_log.hpp"
#include "runtime/regions/watched_chunks.hpp"
#include "sensors/hotness/hotness.hpp"

namespace nearfork {

class heat_watch {
 public:
  /// Also listens to hints, if `by` asks for them.
  heat_watch(std::shared_ptr<hotness> by, const data_layout& data);
  ~heat_watch();
  heat_watch(const heat_watch&) = delete;
  heat_watch& operator=(const heat_watch&) = delete;

  [[nodiscard]] bool hears_hints() const noexcept { return by_->asks_hints(); }
  /// Ends the watch. Takes as long as one look at the data does.
  void stop() noexcept;

  /// After stop(), for an iteration that took `duration_ns`; no chunks: nothing was seen. A source that has cost more
  /// than it may is given up. `log`: the iteration's.
  [[nodiscard]] gauging gauged(detail::iteration_log& log, std::uint64_t duration_ns);
  /// What gauged() came from and what it cost: a line for the report.
  [[nodiscard]] const std::string& line() const noexcept { return line_; }

 private:
  void run() noexcept;
  void watch_by_best(hotness::turn& mine);
  [[nodiscard]] std::optional<heat_refusal> watch(heat_source& by);
  [[nodiscard]] bool wait(std::uint64_t window_ns);
  [[nodiscard]] std::string cost_line(std::uint64_t duration_ns) const;

  const std::shared_ptr<hotness> by_;
  watched_chunks data_;
  std::vector<std::uint64_t> free_pages_;
  // Written by the thread, and read after it has ended.
  std::vector<double> seen_;  // by chunk
  std::string source_{};      // that was asked last; empty: none
  std::string why_not_{};
  std::uint64_t scans_ = 0;
  std::uint64_t cost_ns_ = 0;

  std::string line_{};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace nearfork
