#include "sim/engine/own_work.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/engine/event_queue.hpp"

namespace nearfork::sim {
namespace {

/// A page's worth. The finer, the better is known who was first at a shared cache or a memory node; half the lines cost
/// a tenth more time to simulate.
constexpr std::uint32_t slice_lines = 64;

/// Programs of small accesses, such as fft, spent a seventh of their time on dividing.
std::uint32_t shift_of(std::uint32_t line_bytes) noexcept {
  return std::has_single_bit(line_bytes) ? static_cast<std::uint32_t>(std::countr_zero(line_bytes)) : 0;
}

std::uint64_t longer(std::uint64_t time_ps, double factor) noexcept {
  return factor == 1 ? time_ps : static_cast<std::uint64_t>(std::llround(static_cast<double>(time_ps) * factor));
}

}  // namespace

own_work::own_work(const machine& where, const machine_model& model, std::uint64_t data_bytes,
                   std::span<const worker_place> places)
    : memory_(where, model, data_bytes),
      move_page_ps_(model.costs.move_page_ps),
      pace_(where, model, places),
      line_shift_(shift_of(memory_.line_bytes())),
      line_stands_for_(model.line_stands_for),
      lines_of_slice_(std::max(1U, slice_lines / line_stands_for_)) {
  for (const worker_place& place : places) {
    const core_id core = where.at(place.pu).core;
    workers_.push_back({.core = core, .slowness = core_slowness(where, model, core)});
  }
}

void own_work::place(const data_array& data, page_rule how, std::span<const std::uint32_t> nodes) {
  sim::place(data, how, nodes, memory_.page_bytes(), memory_.pages());
}

void own_work::apply(const page_placing& how, const machine& where, const machine_model& model,
                     std::span<const data_array> arrays) {
  sim::apply(how, where, model, arrays, memory_.pages());
  if (how.how == placing_rule::follow_plan) followed_.add(arrays, memory_.page_bytes());
}

namespace {

/// `of_domain`: by domain.
std::vector<std::uint16_t> nodes_of(const data_parts& parts, std::span<const std::uint16_t> of_domain) {
  std::vector<std::uint16_t> made;
  for (const node_id one : parts.nodes) made.push_back(number_in_map(one));
  if (made.empty()) made.assign(of_domain.begin(), of_domain.end());
  return made;
}

}  // namespace

own_work::brought own_work::bring(const data_step& step, std::span<const std::uint16_t> nodes, std::uint32_t worker,
                                  std::uint64_t now_ps, std::uint64_t most) {
  brought made{.ended_ps = now_ps};
  page_map& pages = memory_.pages();
  if (step.act == data_act::follow)
    followed_.follow(
        {step.parts.borders, nodes_of(step.parts, nodes), step.parts.turns, step.parts.moves, step.parts.kept_free},
        pages);
  if (step.act == data_act::take_back) followed_.take_back(pages);
  while (const auto next = followed_.next(pages)) {
    if (made.moved == most) {
      followed_.put_off(*next);
      made.in_place = false;
      break;
    }
    const std::uint16_t from = pages.node_of(next->page);
    const auto latency_ps = memory_.move_page(workers_[worker].core, next->page, next->to, next->may_use);
    if (!latency_ps) continue;
    followed_.moved(next->page, from);
    ++made.moved;
    made.ended_ps = std::max(made.ended_ps + *latency_ps, memory_.serve(made.ended_ps)) + move_page_ps_;
  }
  return made;
}

std::uint64_t own_work::followed_bytes() const noexcept {
  std::uint64_t pages = 0;
  for (const followed_array& one : followed_.arrays()) pages += one.pages;
  return pages * page_bytes();
}

void own_work::begin_iteration(std::size_t tasks, counted also) {
  if (also.heat) memory_.heat().begin(memory_.pages().size());
  else memory_.heat().end();
  reads_.assign(also.locality ? tasks : 0, {});
  busy_ps_.assign(workers_.size(), 0);
  stalls_.assign(workers_.size(), {});
  costs_.assign(tasks, {});
  own_ps_.assign(tasks, 0);
}

void own_work::end_iteration() {
  for (std::uint32_t i = 0; i < own_ps_.size(); ++i) costs_[i].time_ns = own_ps_[i] / 1000;
}

double own_work::most_slowness() const noexcept {
  double most = 1;
  for (const progress& one : workers_) most = std::max(most, one.slowness);
  return most * pace_.most_shared();
}

own_work::line_range own_work::lines_of(const data_access& access) const noexcept {
  if (access.size_bytes == 0) return {0, 0};
  const std::uint64_t first = line_of(access.begin_byte);
  const std::uint64_t last = line_of(access.begin_byte + access.size_bytes - 1);
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first + 1)};
}

void own_work::begin_access(progress& at) const {
  const line_range lines = lines_of(at.accesses.front());
  at.next_line = lines.first;
  at.access_lines_left = lines.count;
}

void own_work::begin(std::uint32_t worker, tree_node task, const stretch& work) {
  progress& at = workers_[worker];
  at = {.core = at.core,
        .slowness = at.slowness,
        .task = task,
        .accesses = work.accesses,
        .compute_ps_left = longer(ps(work.compute_ns), at.slowness)};
  for (const data_access& one : work.accesses) at.lines_left += lines_of(one).count;
  if (at.lines_left == 0) return;
  at.compute_ps_per_line = at.compute_ps_left / at.lines_left;
  begin_access(at);
}

void own_work::move(std::uint32_t from, std::uint32_t to) noexcept {
  progress& there = workers_[to];
  const core_id core = there.core;
  const double slowness = there.slowness;
  there = workers_[from];
  const double factor = slowness / there.slowness;
  there.core = core;
  there.slowness = slowness;
  there.compute_ps_left = longer(there.compute_ps_left, factor);
  there.compute_ps_per_line = longer(there.compute_ps_per_line, factor);
}

/// Returns the lines that missed all private caches. Hits in private caches are told apart once for all accesses of one
/// order. Once for each access took a tenth more instructions for fft, whose accesses are single lines.
std::uint64_t own_work::touch_lines(progress& at, std::uint32_t most, std::uint32_t& touched, slice_cost& cost) {
  std::uint64_t private_misses = 0;
  while (touched < most && at.lines_left > 0) {
    const access_order order = at.accesses.front().order;
    const auto before = memory_.levels();
    const memory_toll toll = touch_in_order(at, order, most, touched);
    const std::uint64_t private_ps = memory_.private_ps(at.core, order, before);
    const bool overlaps = order != access_order::chain;
    (overlaps ? cost.private_ps : cost.private_chained_ps) += private_ps;
    (overlaps ? cost.memory_ps : cost.memory_chained_ps) += toll.latency_ps - private_ps;
    private_misses += toll.private_misses;
  }
  return private_misses;
}

/// Asks the host for what accesses to come look at, which may lie anywhere: pagerank of 264 MiB on four machines takes
/// 0.66 to 0.87 of the time.
void own_work::look_ahead(const progress& at) const noexcept {
  constexpr std::size_t accesses_ahead = 12;
  constexpr std::size_t driven_out_ahead = 4;
  if (at.accesses.size() <= accesses_ahead) return;
  const auto first_line = [&](std::size_t i) { return static_cast<std::uint32_t>(line_of(at.accesses[i].begin_byte)); };
  memory_.prefetch_scattered(at.core, first_line(accesses_ahead));
  memory_.prefetch_driven_out(at.core, first_line(driven_out_ahead));
}

/// Until there is an access in another order.
memory_toll own_work::touch_in_order(progress& at, access_order order, std::uint32_t most, std::uint32_t& touched) {
  memory_toll toll;
  while (touched < most && at.lines_left > 0 && at.accesses.front().order == order) {
    const std::uint32_t count = std::min(most - touched, at.access_lines_left);
    toll += memory_.touch(at.core, at.next_line, count, at.accesses.front().kind, order);
    at.next_line += count;
    at.access_lines_left -= count;
    at.lines_left -= count;
    touched += count;
    if (at.access_lines_left > 0 || at.lines_left == 0) continue;
    at.accesses = at.accesses.subspan(1);
    begin_access(at);
    if (memory_.prefetches_scattered()) look_ahead(at);
  }
  return toll;
}

std::uint64_t own_work::run_slice(std::uint32_t worker, std::uint64_t now_ps) {
  progress& at = workers_[worker];
  std::uint32_t touched = 0;
  slice_cost cost;
  const std::uint64_t local_before = memory_.local_reads();
  const std::uint64_t remote_before = memory_.remote_reads();
  const std::uint64_t private_misses = touch_lines(at, lines_of_slice_, touched, cost);
  if (!reads_.empty()) count_reads(at.task, local_before, remote_before);
  cost.compute_ps = at.lines_left == 0 ? at.compute_ps_left : touched * at.compute_ps_per_line;
  at.compute_ps_left -= cost.compute_ps;

  const std::uint64_t end_ps = pace_.begin_slice(worker, now_ps, cost, memory_.serve(now_ps));
  busy_ps_[worker] += end_ps - now_ps;
  note_stall(worker, end_ps - now_ps, cost);
  own_ps_[index_of(at.task)] += end_ps - now_ps;
  costs_[index_of(at.task)].size_bytes += private_misses * memory_.line_bytes();
  return end_ps;
}

void own_work::note_stall(std::uint32_t worker, std::uint64_t slice_ps, const slice_cost& cost) {
  const std::uint64_t own_ps = std::min(slice_ps, pace_.own_ps(worker, cost));
  stall& of = stalls_[worker];
  of.part = slice_ps == 0 ? 0 : static_cast<double>(slice_ps - own_ps) / static_cast<double>(slice_ps);
  of.sum_ps += static_cast<double>(slice_ps - own_ps);
}

std::vector<std::uint64_t> own_work::stall_ps() const {
  std::vector<std::uint64_t> made;
  for (std::size_t i = 0; i < stalls_.size(); ++i)
    made.push_back(std::min(busy_ps_[i], static_cast<std::uint64_t>(std::llround(std::max(0.0, stalls_[i].sum_ps)))));
  return made;
}

void own_work::count_reads(tree_node task, std::uint64_t local_before, std::uint64_t remote_before) {
  reads_of_task& to = reads_[index_of(task)];
  to.local += memory_.local_reads() - local_before;
  to.remote += memory_.remote_reads() - remote_before;
}

std::vector<moved_end> own_work::take_moved() {
  std::vector<moved_end> moved = pace_.take_moved();
  for (const moved_end& one : moved) {
    busy_ps_[one.worker] = busy_ps_[one.worker] + one.end_ps - one.was_ps;
    stall& slowed = stalls_[one.worker];
    slowed.sum_ps += slowed.part * (static_cast<double>(one.end_ps) - static_cast<double>(one.was_ps));
    std::uint64_t& own_ps = own_ps_[index_of(workers_[one.worker].task)];
    own_ps = own_ps + one.end_ps - one.was_ps;
  }
  return moved;
}

}  // namespace nearfork::sim
