#include "runtime/scheduler.hpp"

#include <algorithm>
#include <numeric>
#include <system_error>

#include <nearfork/error.hpp>

#include "runtime/stack_overflow.hpp"
#include "runtime/switching.hpp"
#include "runtime/ticks.hpp"

namespace nearfork {
namespace {

/// At least one worker searches when anybody does; beyond that half of the cores may, the others sleep until
/// something was found.
std::uint32_t most_searching(const std::vector<worker_place>& places, const machine& where) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(places.size(), where.suggested_workers()) / 2);
}

/// The others, nearest first.
std::vector<std::uint32_t> by_distance(std::uint32_t self, std::uint32_t count, const auto& distance) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t other = 0; other < count; ++other)
    if (other != self) others.push_back(other);
  std::stable_sort(others.begin(), others.end(), [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
  return others;
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
  make_workers();
  install_overflow_handler();
  start_threads();
}

scheduler::~scheduler() {
  stop();
  for (fiber* const gone : fibers_)
    if (gone->context != nullptr) release_context(*gone->context);  // none: its pages were given back
}

void scheduler::make_workers() {
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const std::uint32_t domain = places_[i].domain;
    while (domains_.size() <= domain) domains_.push_back(std::make_unique<domain_state>());
    domains_[domain]->workers.push_back(i);
    workers_.push_back(std::make_unique<worker>(*this, i, domain, rng::for_stream(settings_.seed, i)));
  }
  for (auto& one : workers_) {
    one->victims = by_distance(one->index, worker_count(), [&](auto other) { return distance(one->index, other); });
    one->remote_domains = by_distance(one->domain, domain_count(), [&](auto other) {
      return distance(one->index, domains_[other]->workers.front());
    });
  }
  placements_.resize(workers_.size());
}

void scheduler::start_threads() {
  try {
    for (auto& one : workers_) one->thread = std::thread([this, &one] { thread_main(*one); });
  } catch (const std::system_error& refused) {
    stop();
    throw error("nearfork: cannot start " + std::to_string(workers_.size()) + " worker threads: " + refused.what() +
                "; set NEARFORK_WORKERS lower, or raise the limit of processes (ulimit -u)");
  }
  started_.wait_for(worker_count());
  if (!start_failure_.empty()) {
    stop();
    throw error(start_failure_);
  }
}

void scheduler::thread_main(worker& self) noexcept {
  pin(self);
  const overflow_stack for_handler;
  adopt_thread_stack(self.thread_stack);
  fiber* const first = take_spare(self);
  if (first == nullptr) {
    const std::lock_guard lock(facts_mutex_);
    start_failure_ = "nearfork: no memory for the stack of worker " + std::to_string(self.index) +
                     "; allow more address space (ulimit -v) or set NEARFORK_STACK_BYTES lower";
  }
  started_.arrive();
  if (first == nullptr) return;
  detail::inside_worker = true;
  first->runner = &self;
  self.present.store(first, seam::memory_order_release);
  switch_context(self.thread_stack, *first->context);
  detail::inside_worker = false;
}

void scheduler::stop() noexcept {
  stopping_.store(true, seam::memory_order_relaxed);
  (void)lot_.should_notify();  // [P4]: who gets sleepy from now on sees stopping_ when it looks once more
  for (std::uint32_t i = 0; i < worker_count(); ++i) lot_.notify(i);
  for (auto& one : workers_)
    if (one->thread.joinable()) one->thread.join();
}

void scheduler::inject(job& root) {
  injector_.push({&root, nullptr});
  if (lot_.should_notify()) notify_one(0);  // [P4]
}

void scheduler::notify_one(std::uint32_t near) {
  const auto notify = [this](std::uint32_t index) {
    worker_at(index).notified_at_ns.store(now_ns(), seam::memory_order_relaxed);
    return lot_.notify(index);
  };
  if (notify(near)) return;
  for (const std::uint32_t other : worker_at(near).victims)
    if (notify(other)) return;
}

void scheduler::notify_domain(std::uint32_t domain) {
  for (const std::uint32_t index : domains_[domain]->workers)
    if (lot_.notify(index)) return;
}

searcher scheduler::searcher_for(const worker& self) noexcept {
  domain_state& domain = *domains_[self.domain];
  return {.is_head = domain.workers.front() == self.index,
          .domain_busy = domain.subtrees_in_progress.load(seam::memory_order_relaxed) > 0,
          .profiling = regions_.profiling()};
}

}  // namespace nearfork
