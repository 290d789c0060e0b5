// Work of which nobody knows how far it is.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace nearfork::tools {

/// While it lives, a progress line says after a second for how long the work has gone on. An interrupt (SIGINT) ends
/// the process: there is nothing to print yet. As of interrupt_watch, at most one lives at a time.
class unmeasured_work {
 public:
  /// `what`: "preparing heat". `interrupted`: the process' status then.
  unmeasured_work(std::string what, int interrupted);
  ~unmeasured_work();
  unmeasured_work(const unmeasured_work&) = delete;
  unmeasured_work& operator=(const unmeasured_work&) = delete;

 private:
  void watch();

  const std::string what_;
  const int interrupted_;
  std::mutex lock_;
  std::condition_variable told_;
  bool is_done_ = false;
  std::thread watcher_;
};

}  // namespace nearfork::tools
