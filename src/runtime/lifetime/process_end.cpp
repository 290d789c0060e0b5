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
#include "runtime/protocols/process_writers.hpp"

namespace nearfork {
namespace {

// --- threads that write, and others that exit meanwhile ---

constinit process_writers writers;

std::uint32_t this_process() noexcept {
  return static_cast<std::uint32_t>(process_number());
}

void wait_at_exit() noexcept {
  keep_out_second_exit();
  writers.wait(this_process());
}

// --- outputs ---

bool has_outputs(const config& settings) noexcept {
  return !settings.report.empty() || !settings.record.empty() || !settings.trace.empty();
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
  writers.begin(this_process());
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
  if (!take_this_one(of)) return writers.wait(this_process());
  write_outputs(of, settings);
  writers.end();
}

exit_waits::exit_waits() noexcept {
  writers.begin(this_process());
}
exit_waits::~exit_waits() {
  writers.end();
}

void leave_to_the_system(scheduler& of) noexcept {
  static constinit seam::atomic<scheduler*> all{nullptr};
  // Relaxed: no thread follows these pointers.
  of.left_before = all.exchange(&of, seam::memory_order_relaxed);
}

}  // namespace nearfork
