#include "runtime/scheduler.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include <nearfork/error.hpp>

#include "machine/pinning.hpp"
#include "runtime/stack_overflow.hpp"
#include "runtime/switching.hpp"
#include "runtime/ticks.hpp"

namespace nearfork {
namespace {

/// Spares beyond this give their pages back: a burst of blocked joins shall not hold memory for good.
constexpr std::uint32_t warm_spares = 16;

/// Half of the cores may search at once; the others sleep until something was found.
std::uint32_t most_searching(const std::vector<worker_place>& places, const machine& where) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(places.size(), where.suggested_workers()) / 2);
}

}  // namespace

scheduler::scheduler(const config& settings, std::shared_ptr<const machine> where, std::unique_ptr<policy> how)
    : settings_(settings),
      machine_(std::move(where)),
      policy_(std::move(how)),
      order_(policy_->order(*machine_, phase::running)),
      places_(place_workers(*machine_, settings.workers)),
      distances_(worker_distances(*machine_, places_)),
      lot_(static_cast<std::uint32_t>(places_.size()), most_searching(places_, *machine_)),
      stacks_(settings.stack_bytes),
      spin_ns_(std::uint64_t{settings.spin_us} * 1000) {
  make_workers(settings.seed);
  install_overflow_handler();
  start_threads();
}

scheduler::~scheduler() {
  stop();
  for (auto& one : workers_)
    while (one->spares != nullptr) {
      fiber* const gone = one->spares;
      one->spares = gone->context->next_spare;
      release_context(*gone->context);
    }
}

void scheduler::make_workers(std::uint64_t seed) {
  rng seeds(seed);
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const std::uint32_t domain = places_[i].domain;
    while (domains_.size() <= domain) domains_.push_back(std::make_unique<domain_state>());
    domains_[domain]->workers.push_back(i);
    workers_.push_back(std::make_unique<worker>(*this, i, domain, seeds()));
  }
  pinned_.resize(workers_.size());
}

void scheduler::start_threads() {
  try {
    for (auto& one : workers_) one->thread = std::thread([this, &one] { thread_main(*one); });
  } catch (const std::system_error& refused) {
    stop();
    throw error("nearfork: cannot start " + std::to_string(workers_.size()) + " worker threads: " + refused.what() +
                "; set NEARFORK_WORKERS lower or raise the limit of processes (ulimit -u)");
  }
  // Reports and strict mode want to know where everybody is.
  started_.wait_for(worker_count());
}

void scheduler::thread_main(worker& self) noexcept {
  pin(self);
  const overflow_stack for_handler;
  detail::inside_worker = true;
  adopt_thread_stack(self.thread_stack);
  fiber* const first = take_spare(self);
  started_.arrive();
  if (first == nullptr) return;  // pinned_ and degradations_ say so; start_threads() throws
  first->runner = &self;
  self.present.store(first, seam::memory_order_release);
  switch_context(self.thread_stack, *first->context);
  detail::inside_worker = false;
}

}  // namespace nearfork
