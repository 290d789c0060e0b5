// Work of which nobody knows how far it is.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "tools/terminal/interrupt.hpp"

namespace nearfork::tools {

/// While it lives, a progress line says after a second for how long the work has gone on. If it goes on for a second
/// after an interrupt, the process ends: there is nothing to print yet.
class unmeasured_work {
 public:
  /// `what`: "preparing heat". `status`: of the process, if an interrupt ends it.
  unmeasured_work(std::string what, const interrupt_watch& interrupts, int status);
  ~unmeasured_work();
  unmeasured_work(const unmeasured_work&) = delete;
  unmeasured_work& operator=(const unmeasured_work&) = delete;

 private:
  void watch();

  const std::string what_;
  const interrupt_watch& interrupts_;
  const int status_;
  std::mutex lock_;
  std::condition_variable told_;
  bool is_done_ = false;
  std::thread watcher_;
};

}  // namespace nearfork::tools
