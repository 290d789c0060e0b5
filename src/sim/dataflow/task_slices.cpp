#include "sim/dataflow/task_slices.hpp"

#include <algorithm>

namespace nearfork::sim {
namespace {

/// Enough that slices are few, and so few that workers take turns at nodes and links. 128 lines of one cache line each
/// are 10 us from local memory.
constexpr std::uint32_t lines_of_slice = 128;

}  // namespace

task_slices::task_slices(const dataflow_program& what, const machine& where, const dataflow_settings& settings,
                         block_memory& memory, const flow_crew& crew)
    : what_(what),
      memory_(memory),
      crew_(crew),
      order_(settings.order),
      line_bytes_(settings.model.line_bytes),
      at_(crew.size()) {
  if (settings.balancing)
    balancing_.emplace(*settings.balancing, memory.global_pages(), memory.hierarchy().page_bytes(),
                       settings.model.costs.move_page_ps);
  for (std::uint32_t worker = 0; worker < crew.size(); ++worker)
    slowness_.push_back(core_slowness(where, settings.model, core_id{worker}));
}

std::uint32_t task_slices::lines_of(const flow_access& access) const noexcept {
  return static_cast<std::uint32_t>((access.bytes + line_bytes_ - 1) / line_bytes_);
}

void task_slices::begin(std::uint32_t worker, std::uint32_t task) {
  std::uint32_t lines = 0;
  for (const flow_access& one : what_.accesses(task)) lines += lines_of(one);
  at_[worker] = {.task = task, .next = 0, .count = lines / lines_of_slice + 1};
}

std::uint64_t task_slices::run(std::uint32_t worker, std::uint64_t now_ps) {
  progress& at = at_[worker];
  std::uint64_t cost_ps =
      static_cast<std::uint64_t>(static_cast<double>(what_.compute_ns(at.task)) * 1000 * slowness_[worker]) / at.count;
  for (const flow_access& one : what_.accesses(at.task)) cost_ps += touch(worker, one, at, now_ps);
  ++at.next;
  return std::max(now_ps + cost_ps, memory_.hierarchy().serve(now_ps));
}

std::uint64_t task_slices::touch(std::uint32_t worker, const flow_access& access, progress at, std::uint64_t now_ps) {
  const std::uint64_t lines = lines_of(access);
  const std::uint64_t from = lines * at.next / at.count;
  const auto count = static_cast<std::uint32_t>(lines * (at.next + 1) / at.count - from);
  if (count == 0) return 0;
  const std::uint64_t first = (memory_.first_byte(access.block) + access.first_byte) / line_bytes_ + from;
  const std::uint64_t extra_ps = balancing_ ? faults_ps(worker, first, count, now_ps) : 0;
  const std::uint64_t latency_ps =
      memory_.hierarchy()
          .touch(core_id{worker}, static_cast<std::uint32_t>(first), count, access.kind, order_)
          .latency_ps;
  return extra_ps + latency_ps * access.bytes / (lines * line_bytes_);
}

std::uint64_t task_slices::faults_ps(std::uint32_t worker, std::uint64_t first_line, std::uint32_t count,
                                     std::uint64_t now_ps) {
  const std::uint64_t page_lines = memory_.hierarchy().page_bytes() / line_bytes_;
  std::uint64_t sum_ps = 0;
  for (std::uint64_t page = first_line / page_lines; page <= (first_line + count - 1) / page_lines; ++page)
    sum_ps += balancing_->access_ps(memory_.hierarchy(), core_id{worker}, crew_.node_of(worker), page, now_ps);
  return sum_ps;
}

}  // namespace nearfork::sim
