// Reads the energy meter often enough that no counter begins again unseen, also during long regions.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "sensors/energy_meter.hpp"

namespace nearfork {

/// The meter must measure, and outlive the watch.
class energy_watch {
 public:
  explicit energy_watch(energy_meter& of);
  ~energy_watch();
  energy_watch(const energy_watch&) = delete;
  energy_watch& operator=(const energy_watch&) = delete;

 private:
  void read_until_stopped();

  energy_meter& meter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  std::thread reader_;
};

}  // namespace nearfork
