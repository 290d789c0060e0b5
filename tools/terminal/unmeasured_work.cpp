#include "tools/terminal/unmeasured_work.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/output/standard_streams.hpp"
#include "tools/terminal/interrupt.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {

unmeasured_work::unmeasured_work(std::string what, int interrupted)
    : what_(std::move(what)), interrupted_(interrupted), watcher_([this] { watch(); }) {}

unmeasured_work::~unmeasured_work() {
  {
    const std::lock_guard now(lock_);
    is_done_ = true;
  }
  told_.notify_one();
  watcher_.join();
}

void unmeasured_work::watch() {
  constexpr auto pause = std::chrono::milliseconds(100);
  progress_line line;
  const interrupt_watch interrupts;
  std::unique_lock now(lock_);
  while (!told_.wait_for(now, pause, [this] { return is_done_; })) {
    const double elapsed_s = line.elapsed_s();
    if (elapsed_s >= 1) line.show_sometimes(fmt::format("{}: {:.0f} s", what_, elapsed_s));
    if (!interrupts.interrupted()) continue;
    line.erase();
    tell("nearfork: interrupted while " + what_ + "; there is no result yet");
    std::_Exit(interrupted_);  // the work goes on in another thread
  }
}

}  // namespace nearfork::tools
