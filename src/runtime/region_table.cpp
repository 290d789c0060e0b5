#include "runtime/region_table.hpp"

#include <exception>
#include <utility>

#include "runtime/scheduler.hpp"
#include "runtime/ticks.hpp"

namespace nearfork {
namespace {

/// Beyond this a profile stops growing: 1e6 tasks at about 60 bytes each.
constexpr std::size_t most_profiled_tasks = 1'000'000;

}  // namespace

region_table::region_table(const machine& where, const policy& how)
    : machine_(where), policy_(how), needs_(how.needs()) {}

region_record& region_table::find_or_add(const region_options& options) {
  const auto found = regions_.find(options.name);
  if (found != regions_.end()) return *found->second;
  auto made = std::make_unique<region_record>();
  made->facts = {.name = options.name, .input_bytes = options.input_bytes};
  made->in_force = policy_.first(machine_, made->facts);
  return *regions_.emplace(options.name, std::move(made)).first->second;
}

std::unique_ptr<region_iteration> region_table::enter(const region_options& options) {
  const std::lock_guard lock(mutex_);
  region_record& record = find_or_add(options);
  ++record.iterations;
  const bool planned = !record.in_force.empty();
  const bool learning = needs_.profile && !record.in_force.standing().settled;
  const bool profiling = learning && !record.measured;
  if (record.entered || (!learning && !planned)) return nullptr;
  auto made = std::unique_ptr<region_iteration>(
      new region_iteration{.record = &record,
                           .profiling = profiling,
                           .planned = planned,
                           .started_ns = now_ns(),
                           .growing = {},
                           .tree = task_tree(most_profiled_tasks),
                           .own_ns = {0}});
  record.entered = true;
  if (profiling) ++record.profiled;
  else if (planned) ++record.planned;
  count_in_progress(*made, 1);
  return made;
}

void region_table::count_in_progress(const region_iteration& iteration, int step) noexcept {
  const auto by = static_cast<std::uint32_t>(step);
  if (iteration.profiling) profiling_.fetch_add(by, detail::seam::memory_order_relaxed);
  if (iteration.planned) planned_.fetch_add(by, detail::seam::memory_order_relaxed);
}

void region_table::leave(std::unique_ptr<region_iteration> iteration, bool complete) {
  const std::lock_guard lock(mutex_);
  iteration->record->entered = false;
  count_in_progress(*iteration, -1);
  if (complete) learn_from(*iteration);
}

void region_table::profile_anew(region_record& record) {
  record.shape.begin_anew();
  record.measured.reset();
  record.in_force = policy_.first(machine_, record.facts);
}

void region_table::learn_from(region_iteration& iteration) {
  region_record& record = *iteration.record;
  const plan_standing standing = record.in_force.standing();
  iteration_summary summary;
  summary.duration_ns = now_ns() - iteration.started_ns;
  summary.profiled = iteration.profiling;
  summary.planned = iteration.planned;
  summary.packing_level = standing.packing_level;
  if (iteration.profiling) {
    record.measured.emplace(std::move(iteration.tree), cost_source::time, record.facts.input_bytes);
    for (std::uint32_t i = 0; i < iteration.own_ns.size(); ++i)
      record.measured->record(tree_node{i}, {.time_ns = iteration.own_ns[i]});
    record.measured->complete();
  }
  if (!record.measured) return;
  if (iteration.planned && !iteration.profiling) {
    record.shape.add(iteration.strayed.load(detail::seam::memory_order_relaxed));
    if (record.shape.wants_profile()) return profile_anew(record);
  }
  record.measured->add_iteration(std::move(summary));
  if (!standing.settled) record.in_force = policy_.next(machine_, *record.measured, record.in_force);
}

std::vector<region_report> region_table::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<region_report> all;
  for (const auto& [name, record] : regions_)
    all.push_back({.name = name,
                   .iterations = record->iterations,
                   .plain = record->iterations - record->profiled - record->planned,
                   .profiled = record->profiled,
                   .planned = record->planned,
                   .why = lines_of(record->in_force.why())});
  return all;
}

tree_node record_fork(tree_cursor& parent, std::uint32_t branching) {
  if (parent.node == no_node) return no_node;
  region_iteration& iteration = *parent.iteration;
  const std::lock_guard lock(iteration.growing);
  const tree_node first = iteration.tree.try_fork(parent.node, branching);
  if (first != no_node) iteration.own_ns.resize(iteration.tree.size());
  return first;
}

void start_clock(tree_cursor& task) noexcept {
  if (task.node != no_node) task.running_since_ns = now_ns();
}

void stop_clock(tree_cursor& task) {
  if (task.node == no_node) return;
  const std::uint64_t ran = now_ns() - task.running_since_ns;
  const std::lock_guard lock(task.iteration->growing);
  task.iteration->own_ns[index_of(task.node)] += ran;
}

}  // namespace nearfork

namespace nearfork::detail {

region_scope::region_scope(const region_options& options) : iteration_(nullptr), exceptions_(std::uncaught_exceptions()) {
  fiber& self = this_fiber();
  if (self.cursor != nullptr) return;  // inside another region's planned part
  auto entered = self.runner->home.regions().enter(options);
  if (!entered) return;
  iteration_ = entered.release();
  if (!iteration_->profiling && !iteration_->planned) return;  // its duration alone is of interest
  root_ = std::make_unique<tree_cursor>(tree_cursor{.iteration = iteration_,
                                                    .planned = plan_cursor(iteration_->record->in_force),
                                                    .node = iteration_->profiling ? tree_root : no_node});
  if (const plan_node* const root = iteration_->record->in_force.root()) root_->where = root->where;
  start_clock(*root_);
  self.cursor = root_.get();
  self.jobs.request();  // every fork asks the plan from now on
}

region_scope::~region_scope() {
  if (iteration_ == nullptr) return;
  fiber& self = this_fiber();
  if (root_ != nullptr) {
    stop_clock(*root_);
    note_if_strayed(*root_, std::uncaught_exceptions() == exceptions_);
    self.cursor = nullptr;
  }
  self.runner->home.regions().leave(std::unique_ptr<region_iteration>(iteration_),
                                    std::uncaught_exceptions() == exceptions_);
}

}  // namespace nearfork::detail
