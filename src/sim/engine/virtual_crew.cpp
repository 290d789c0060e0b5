#include "sim/engine/virtual_crew.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace nearfork::sim {
namespace {

constexpr std::size_t index_of(fiber_id fiber) noexcept {
  return static_cast<std::size_t>(fiber);
}

constexpr work_source::kind kind_of(pool_class pool) noexcept {
  switch (pool) {
    case pool_class::high: return work_source::kind::high_pool;
    case pool_class::weak: return work_source::kind::weak_pool;
    case pool_class::low: break;
  }
  return work_source::kind::low_pool;
}

/// Where a step looks: in the pool of the worker's own domain, or among its victims.
struct sought {
  work_source::kind kind;
  bool is_own_pool = false;
};

/// nullopt: nowhere. A worker's own deque is empty whenever it looks for work, and a root starts on the worker that
/// ended the one before.
constexpr std::optional<sought> sought_by(look where) noexcept {
  using kind = work_source::kind;
  switch (where) {
    case look::own_high_pool: return sought{kind::high_pool, true};
    case look::own_weak_pool: return sought{kind::weak_pool, true};
    case look::own_low_pool: return sought{kind::low_pool, true};
    case look::remote_high_pools: return sought{kind::high_pool};
    case look::remote_weak_pools: return sought{kind::weak_pool};
    case look::remote_low_pools: return sought{kind::low_pool};
    case look::same_domain:
    case look::any_deque: return sought{kind::deque};
    case look::own_deque:
    case look::injector: break;
  }
  return std::nullopt;
}

}  // namespace

virtual_crew::virtual_crew(worker_layout layout, const orders& where, std::uint64_t seed)
    : layout_(std::move(layout)),
      orders_(where),
      domains_(layout_.domains()),
      filled_{index_set(layout_.workers()), index_set(layout_.domains()), index_set(layout_.domains()),
              index_set(layout_.domains())},
      chance_(rng::for_stream(seed, layout_.workers())),
      has_last_looks_(std::ranges::any_of(orders_,
                                          [](const search_order& one) {
                                            return std::ranges::any_of(one.steps(), [](const search_step& step) {
                                              return step.only.rather_than_sleep;
                                            });
                                          })),
      asks_for_abundance_(std::ranges::any_of(orders_, asks_for_abundance)) {
  for (std::uint32_t i = 0; i < layout_.workers(); ++i) {
    present_.push_back(spare_fiber());
    board(i, present_.back());
    workers_.push_back({.random = rng::for_stream(seed, i), .asks = {}});
    for (std::size_t in = 0; in < phases; ++in)
      for (const search_step& step : orders_[in].steps()) workers_[i].asks[in].push_back(victims_of(step, layout_, i));
  }
}

fiber_id virtual_crew::spare_fiber() {
  if (spares_.empty()) {
    fibers_.emplace_back();
    worker_on_.push_back(nobody);
    return fiber_id{static_cast<std::uint32_t>(fibers_.size() - 1)};
  }
  const fiber_id spare = spares_.back();
  spares_.pop_back();
  return spare;
}

void virtual_crew::push(fiber_id on, tree_node job) {
  jobs_of(on).push_back(job);
  ++jobs_;
  if (const std::uint32_t worker = worker_on_[index_of(on)]; worker != nobody)
    filled(work_source::kind::deque).insert(worker);
}

bool virtual_crew::take_back(fiber_id on, tree_node job) {
  job_row& jobs = jobs_of(on);
  if (jobs.empty() || jobs.back() != job) return false;
  jobs.pop_back();
  --jobs_;
  if (const std::uint32_t worker = worker_on_[index_of(on)]; worker != nobody)
    note_filled({work_source::kind::deque, worker});
  return true;
}

void virtual_crew::board(std::uint32_t worker, fiber_id fiber) noexcept {
  present_[worker] = fiber;
  worker_on_[index_of(fiber)] = worker;
  note_filled({work_source::kind::deque, worker});
}

void virtual_crew::swap_fibers(std::uint32_t one, std::uint32_t other) noexcept {
  const fiber_id ones = present_[one];
  board(one, present_[other]);
  board(other, ones);
}

void virtual_crew::suspend(std::uint32_t worker) {
  worker_on_[index_of(present_[worker])] = nobody;
  board(worker, spare_fiber());
}

bool virtual_crew::resume(std::uint32_t worker, fiber_id waited) {
  assert(jobs_of(present_[worker]).empty());
  worker_on_[index_of(present_[worker])] = nobody;
  spares_.push_back(present_[worker]);
  board(worker, waited);
  return !jobs_of(waited).empty();
}

work_source virtual_crew::push(tree_node job, pool_target target) {
  const work_source into{kind_of(target.pool), target.domain};
  jobs_at(into).push_back(job);
  filled(into.what).insert(into.index);
  ++jobs_;
  return into;
}

virtual_crew::job_row& virtual_crew::jobs_at(work_source source) noexcept {
  if (source.what == work_source::kind::deque) return jobs_of(present_[source.index]);
  return domains_[source.index].pools[static_cast<std::size_t>(source.what)];
}

void virtual_crew::note_filled(work_source source) noexcept {
  if (jobs_at(source).empty()) filled(source.what).erase(source.index);
  else filled(source.what).insert(source.index);
}

/// Calls act(step, its victims) for the steps that the worker may take, until it returns true. Returns whether it did.
template <class Act>
bool virtual_crew::any_step(std::uint32_t worker, patience left, const Act& act) const {
  if (jobs_ == 0) return false;
  const step_conditions met = met_by(searcher_for(worker, left));
  const auto steps = orders_[index_of(now())].steps();
  const auto& asks = workers_[worker].asks[index_of(now())];
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (are_met(steps[i].only, met) && act(steps[i], asks[i])) return true;
  return false;
}

found_work virtual_crew::find_work(std::uint32_t worker, patience left) {
  found_work found;
  (void)any_step(worker, left, [&](const search_step& step, const victim_order& victims) {
    return take_step(step, victims, worker, found);
  });
  return found;
}

/// Takes the random numbers that find_work() would take: workers are asked for what they would do.
bool virtual_crew::work_in_sight(std::uint32_t worker) {
  return any_step(worker, patience::searching, [&](const search_step& step, const victim_order& victims) {
    return sees_work(step, victims, worker);
  });
}

bool virtual_crew::has_homed_jobs(std::uint32_t domain) const noexcept {
  if (is_filled({work_source::kind::high_pool, domain}) || is_filled({work_source::kind::weak_pool, domain}))
    return true;
  return !std::ranges::all_of(layout_.workers_of(domain), [this](std::uint32_t one) { return deque_is_empty(one); });
}

bool virtual_crew::wants_to_cross(std::uint32_t worker) const noexcept {
  const std::uint32_t own = layout_.domain_of(worker);
  if (!layout_.sides_differ() || jobs_ == 0) return false;
  if (domains_[own].to_come > 0 || is_filled({work_source::kind::low_pool, own}) || has_homed_jobs(own)) return false;
  for (std::uint32_t other = 0; other < layout_.domains(); ++other)
    if (layout_.is_big(other) != layout_.is_big(own) && has_homed_jobs(other)) return true;
  return false;
}

queues_seen virtual_crew::queues() const noexcept {
  using kind = work_source::kind;
  const std::uint32_t deques = layout_.workers();
  return {.deques = deques,
          .empty_deques = deques - filled(kind::deque).size(),
          .pools_are_empty =
              filled(kind::high_pool).empty() && filled(kind::weak_pool).empty() && filled(kind::low_pool).empty()};
}

searcher virtual_crew::searcher_for(std::uint32_t worker, patience left) const noexcept {
  const virtual_domain& home = domains_[layout_.domain_of(worker)];
  const bool may_cross =
      planned_ && home.may_cross && !is_filled({work_source::kind::high_pool, layout_.domain_of(worker)});
  return {.is_head = layout_.is_head(worker),
          .domain_busy = is_busy(home.load),
          .own_to_come = home.to_come > 0,
          .profiling = profiling_,
          .planned = planned_,
          .would_sleep = left == patience::would_sleep,
          .may_cross = may_cross,
          .work_abounds = may_cross && asks_for_abundance_ && work_abounds(queues())};
}

bool virtual_crew::take_step(const search_step& step, const victim_order& victims, std::uint32_t worker,
                             found_work& into) {
  const std::optional<sought> what = sought_by(step.where);
  if (!what) return false;
  const auto take = [&](std::uint32_t index) { return take_from({what->kind, index}, step.item, worker, into); };
  if (what->is_own_pool) return take(layout_.domain_of(worker));
  return victims.ask_filled(workers_[worker].random, filled(what->kind), into.looks, take);
}

bool virtual_crew::take_from(work_source source, pool_item which, std::uint32_t worker, found_work& into) {
  if (!is_filled(source)) {
    ++into.looks;
    return false;
  }
  job_row& jobs = jobs_at(source);
  into.task = take_item(jobs, which, layout_.rank_of(worker));
  into.from = source;
  --jobs_;
  if (jobs.empty()) filled(source.what).erase(source.index);
  return true;
}

bool virtual_crew::sees_work(const search_step& step, const victim_order& victims, std::uint32_t worker) {
  const std::optional<sought> what = sought_by(step.where);
  if (!what) return false;
  if (what->is_own_pool) return is_filled({what->kind, layout_.domain_of(worker)});
  return victims.any_filled(workers_[worker].random, filled(what->kind));
}

bool virtual_crew::reaches(std::uint32_t worker, work_source source) const noexcept {
  const step_conditions met = met_by(searcher_for(worker));
  const std::uint32_t domain = layout_.domain_of(worker);
  const bool in_pool = source.what != work_source::kind::deque;
  const bool at_home = (in_pool ? source.index : layout_.domain_of(source.index)) == domain;
  for (const search_step& step : orders_[index_of(now())].steps()) {
    if (!are_met(step.only, met)) continue;
    const std::optional<sought> what = sought_by(step.where);
    if (!what || what->kind != source.what) continue;
    if (in_pool ? what->is_own_pool == at_home : source.index != worker && (at_home || step.where == look::any_deque))
      return true;
  }
  return false;
}

void virtual_crew::begin_work(std::uint32_t worker) noexcept {
  if (std::exchange(workers_[worker].working, true)) return;
  ++domains_[layout_.domain_of(worker)].load.working;
}

bool virtual_crew::end_work(std::uint32_t worker) noexcept {
  if (!std::exchange(workers_[worker].working, false)) return false;
  domain_load& load = domains_[layout_.domain_of(worker)].load;
  return --load.working == 0 && load.subtrees_in_progress > 0;
}

}  // namespace nearfork::sim
