#include "runtime/lifetime/process_end.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <nearfork/detail/fiber.hpp>

#include "base/kept_list.hpp"
#include "base/process_number.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/lifetime/runtime_outputs.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {
namespace {

// --- threads that write, and others that exit meanwhile ---

/// How many threads write, and in which process: a child made by fork() has none of its parent's writers.
constinit seam::atomic<std::uint32_t> writers{0};
constinit seam::atomic<int> process_of_writers{0};

void begin_writing() noexcept {
  const int here = process_number();
  if (process_of_writers.exchange(here, seam::memory_order_acq_rel) != here)
    writers.store(0, seam::memory_order_relaxed);
  writers.fetch_add(1, seam::memory_order_acq_rel);
}

void end_writing() noexcept {
  if (writers.fetch_sub(1, seam::memory_order_acq_rel) == 1) seam::futex_wake_all(writers);
}

void wait_for_writers() noexcept {
  if (process_of_writers.load(seam::memory_order_relaxed) != process_number()) return;
  for (auto now = writers.load(seam::memory_order_acquire); now != 0; now = writers.load(seam::memory_order_acquire))
    seam::futex_wait(writers, now);
}

void wait_at_exit() noexcept {
  keep_out_second_exit();
  wait_for_writers();
}

// --- outputs ---

bool has_outputs(const config& settings) noexcept {
  return !settings.report.empty() || !settings.record.empty();
}

struct waiting_outputs {
  const scheduler* of;
  config settings;
};

/// Locks the list of outputs that were not written yet.
using outputs_turn = kept_list<waiting_outputs>;

/// A child made by fork() does not write its parent's outputs.
bool take_one(waiting_outputs& into) {
  const outputs_turn turn;
  auto& all = turn.all();
  std::erase_if(all, [](const waiting_outputs& one) { return !one.of->workers().is_of_this_process(); });
  if (all.empty()) return false;
  into = std::move(all.back());
  all.pop_back();
  return true;
}

/// Also begins to write, so that no other thread finds the outputs neither waiting nor being written.
bool take_this_one(const scheduler& of) noexcept {
  const outputs_turn turn;
  if (std::erase_if(turn.all(), [&](const waiting_outputs& one) { return one.of == &of; }) == 0) return false;
  begin_writing();
  return true;
}

void write_all_outputs() noexcept {
  keep_out_second_exit();
  const exit_waits until_written;
  for (waiting_outputs one; take_one(one);) write_outputs(*one.of, one.settings);
}

/// The first handler to be registered is called last.
void register_once() noexcept {
  static constinit seam::atomic<bool> done{false};
  if (done.exchange(true, seam::memory_order_acq_rel)) return;
  (void)std::atexit(wait_at_exit);
  (void)std::atexit(write_all_outputs);
}

}  // namespace

void remember_for_exit(const scheduler& of, const config& settings) {
  register_once();
  if (!has_outputs(settings)) return;
  const outputs_turn turn;
  turn.all().push_back({&of, settings});
}

void leave_outputs_once(const scheduler& of, const config& settings) noexcept {
  if (!has_outputs(settings)) return;
  if (!take_this_one(of)) return wait_for_writers();
  write_outputs(of, settings);
  end_writing();
}

exit_waits::exit_waits() noexcept {
  begin_writing();
}
exit_waits::~exit_waits() {
  end_writing();
}

void leave_to_the_system(scheduler& of) noexcept {
  static constinit seam::atomic<scheduler*> all{nullptr};
  // Relaxed: no thread follows these pointers.
  of.left_before = all.exchange(&of, seam::memory_order_relaxed);
}

}  // namespace nearfork
