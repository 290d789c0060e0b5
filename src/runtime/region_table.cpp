#include "runtime/region_table.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "runtime/scheduler.hpp"
#include "runtime/ticks.hpp"

namespace nearfork {
namespace {

/// The profile of a profiling iteration. Nothing where it is not whole.
std::optional<profile> recorded_in(region_iteration& iteration) {
  if (iteration.outgrown) return std::nullopt;
  profile made(std::move(iteration.tree), cost_source::time, iteration.course->facts().input_bytes);
  for (std::uint32_t i = 0; i < iteration.own_ns.size(); ++i)
    made.record(tree_node{i}, {.time_ns = iteration.own_ns[i]});
  made.take_bytes_from_shares();
  return made;
}

}  // namespace

region_table::region_table(const machine& where, const policy& how, std::size_t most_profiled)
    : machine_(where), policy_(how), most_profiled_(std::max<std::size_t>(1, most_profiled)) {}

region_course& region_table::find_or_add(const region_options& options) {
  const auto found = regions_.find(options.name);
  if (found != regions_.end()) return *found->second;
  auto made = std::make_unique<region_course>(
      machine_, policy_, region_facts{.name = options.name, .input_bytes = options.input_bytes});
  return *regions_.emplace(options.name, std::move(made)).first->second;
}

std::unique_ptr<region_iteration> region_table::enter(const region_options& options) {
  const std::lock_guard lock(mutex_);
  region_course& course = find_or_add(options);
  const std::optional<iteration_kind> begun = course.begin();
  if (!begun) return nullptr;
  auto made = std::unique_ptr<region_iteration>(new region_iteration{.course = &course,
                                                                     .kind = *begun,
                                                                     .started_ns = now_ns(),
                                                                     .growing = {},
                                                                     .tree = task_tree(most_profiled_),
                                                                     .own_ns = {0}});
  count_in_progress(*made, 1);
  return made;
}

void region_table::count_in_progress(const region_iteration& iteration, int step) noexcept {
  const auto by = static_cast<std::uint32_t>(step);
  if (iteration.kind.profiling) profiling_.fetch_add(by, detail::seam::memory_order_relaxed);
  if (iteration.kind.planned) planned_.fetch_add(by, detail::seam::memory_order_relaxed);
}

void region_table::leave(std::unique_ptr<region_iteration> iteration, bool complete) {
  const std::lock_guard lock(mutex_);
  count_in_progress(*iteration, -1);
  if (!complete) return iteration->course->abandon();
  iteration_outcome outcome;
  outcome.duration_ns = now_ns() - iteration->started_ns;
  outcome.strayed = iteration->strayed.load(detail::seam::memory_order_relaxed);
  if (iteration->kind.profiling) outcome.recorded = recorded_in(*iteration);
  iteration->course->end(iteration->kind, std::move(outcome));
}

std::vector<region_report> region_table::report() const {
  const std::lock_guard lock(mutex_);
  std::vector<region_report> all;
  for (const auto& [name, course] : regions_)
    all.push_back({.name = name,
                   .iterations = course->iterations(),
                   .plain = course->iterations() - course->profiled() - course->planned(),
                   .profiled = course->profiled(),
                   .planned = course->planned(),
                   .why = lines_of(course->in_force().why())});
  return all;
}

tree_node record_fork(tree_cursor& parent, std::uint32_t branching) {
  if (parent.node == no_node) return no_node;
  region_iteration& iteration = *parent.iteration;
  const std::lock_guard lock(iteration.growing);
  const tree_node first = iteration.tree.try_fork(parent.node, branching);
  if (first == no_node) iteration.outgrown = true;
  else iteration.own_ns.resize(iteration.tree.size());
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
  if (iteration_->kind == iteration_kind{}) return;  // its duration alone is of interest
  root_ = std::make_unique<tree_cursor>(tree_cursor{.iteration = iteration_,
                                                    .planned = plan_cursor(iteration_->course->in_force()),
                                                    .node = iteration_->kind.profiling ? tree_root : no_node});
  if (const plan_node* const root = iteration_->course->in_force().root()) root_->where = root->where;
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
