#include "tools/terminal/unmeasured_work.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/output/standard_streams.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {

unmeasured_work::unmeasured_work(std::string what, const interrupt_watch& interrupts, int status)
    : what_(std::move(what)), interrupts_(interrupts), status_(status), watcher_([this] { watch(); }) {}

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
  constexpr double patience_s = 1;
  progress_line line;
  std::optional<double> interrupted_s;
  std::unique_lock now(lock_);
  while (!told_.wait_for(now, pause, [this] { return is_done_; })) {
    const double elapsed_s = line.elapsed_s();
    if (elapsed_s >= 1) line.show_sometimes(fmt::format("{}: {:.0f} s", what_, elapsed_s));
    if (interrupts_.interrupted() && !interrupted_s) interrupted_s = elapsed_s;
    if (!interrupted_s || elapsed_s - *interrupted_s < patience_s) continue;
    line.erase();
    tell("nearfork: interrupted while " + what_ + "; there is no result yet");
    std::_Exit(status_);  // the work goes on in another thread
  }
}

}  // namespace nearfork::tools
