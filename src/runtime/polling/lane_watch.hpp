// Who looks after the lanes that are hidden from the workers (protocols/outside_lanes.hpp). Their owner runs the jobs
// itself in a moment, as a rule. But it may wait for something else first, which one of these jobs does. So a thread
// looks every two milliseconds, and shows the lanes that were hidden at its last look already. Of the threads that
// count as spawning (wakes/spawning_threads.hpp) it counts out those that wait for something else. It rests once nobody
// has relied on it for a tenth of a second.
//
// [L2] Who hides a lane counts itself in first, and then looks whether the thread has the post; else it hides nothing.
//      The thread leaves the post as a watcher of watch_post.hpp does [V1]. So somebody looks after each hidden lane.
//      Model: who_relies_on_a_watcher_has_one. Mutant: relies_before_it_counts.
#pragma once

#include <cstdint>

#include "runtime/polling/interval_thread.hpp"
#include "runtime/protocols/watch_post.hpp"

namespace nearfork {

class lane_watch {
 public:
  struct look {
    void (*act)(void* of) noexcept;
    void* of;
  };
  explicit lane_watch(const look& what) noexcept : look_(what) {}

  /// True: the calling thread may hide a lane until it calls end(). False: nobody looks yet; somebody will, soon.
  [[nodiscard]] bool try_begin() noexcept;
  void end() noexcept { post_.task_goes_on(); }
  /// No lane is hidden any more.
  void stop() noexcept { thread_.stop(); }

 private:
  [[nodiscard]] std::uint64_t act() noexcept;

  const look look_;
  watch_post post_;
  seam::atomic<std::uint32_t> begun_{0};  // how often a thread wanted to hide one: racy
  // Of the thread:
  std::uint32_t seen_begun_ = 0;
  std::uint32_t looks_in_vain_ = 0;
  interval_thread thread_{{[](void* of) noexcept { return static_cast<lane_watch*>(of)->act(); },
                           [](void*) noexcept { return false; }, this}};
};

}  // namespace nearfork
