#include "runtime/clocks/energy_watch.hpp"

#include <chrono>

#include "power/last_writes.hpp"

namespace nearfork {

energy_watch::energy_watch(energy_meter& of) : meter_(of) {
  const no_signals_meanwhile until_started;
  reader_ = std::thread([this] { read_until_stopped(); });
}

energy_watch::~energy_watch() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_one();
  reader_.join();
}

void energy_watch::read_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::seconds(energy_meter::longest_pause_s), [this] { return stops_; }))
    (void)meter_.read_uj();
}

}  // namespace nearfork
