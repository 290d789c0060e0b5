#include "numa_lab/every_worker.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/fork_join.hpp>

namespace nearfork::lab {
namespace {

constexpr unsigned most_rounds = 500;
constexpr unsigned leaves_per_worker = 32;

/// Lasts until thieves come, and does not take the core from them: an emulator of 16 cores may have two.
void keep_this_worker_busy() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class roll_call {
 public:
  roll_call(unsigned workers, const std::function<void()>& act) : act_(act), called_(workers) {}

  void call_everybody(unsigned leaves) {
    if (leaves > 1) {
      fork_join([&] { call_everybody(leaves / 2); }, [&] { call_everybody(leaves - leaves / 2); });
      return;
    }
    if (!called_[this_worker::index()].exchange(true)) {
      act_();
      count_.fetch_add(1);
    }
    if (!complete()) keep_this_worker_busy();
  }
  [[nodiscard]] bool complete() const { return count_.load() == called_.size(); }
  [[nodiscard]] std::size_t called() const { return count_.load(); }

 private:
  const std::function<void()>& act_;
  std::vector<std::atomic<bool>> called_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace

void on_every_worker(runtime& on, const std::function<void()>& act) {
  roll_call roll(on.workers(), act);
  for (unsigned round = 0; round < most_rounds && !roll.complete(); ++round)
    on.run([&] { roll.call_everybody(leaves_per_worker * on.workers()); });
  if (!roll.complete())
    throw std::runtime_error(std::to_string(roll.called()) + " of " + std::to_string(on.workers()) +
                             " workers had a task in hundreds of rounds");
}

}  // namespace nearfork::lab
