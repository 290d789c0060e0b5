#pragma once

#include <cstdint>
#include <thread>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

/// A thread that acts at intervals while it is wanted. It is started when it is first wanted, and rests otherwise.
class interval_thread {
 public:
  struct duty {
    std::uint64_t (*act)(void* of) noexcept;  // returns ns until the next time; 0: the thread is not wanted any more
    bool (*still_wanted)(void* of) noexcept;  // asked once the thread has said that it rests
    void* of;
  };
  explicit interval_thread(const duty& what) noexcept : duty_(what) {}
  ~interval_thread() { stop(); }
  interval_thread(const interval_thread&) = delete;
  interval_thread& operator=(const interval_thread&) = delete;

  /// It is wanted. Where the system refuses the thread, the next call tries again. Thread-safe.
  void wake() noexcept;
  /// Nobody wants it any more.
  void stop() noexcept;

 private:
  enum state : std::uint32_t { absent, starts, acts, rests, ends };

  void start() noexcept;
  void run() noexcept;

  const duty duty_;
  seam::atomic<std::uint32_t> state_{absent};
  std::thread thread_;
};

}  // namespace nearfork
