// Begins and ends an iteration of a region, and a run() that is recorded.
#include <bit>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <nearfork/detail/recording.hpp>

#include "base/monotonic_clock.hpp"
#include "memory/system/own_allocations.hpp"
#include "runtime/malloc/malloced_blocks.hpp"
#include "runtime/recording/graph_recorder.hpp"
#include "runtime/regions/recorded_run.hpp"
#include "runtime/regions/region_table.hpp"
#include "runtime/regions/tree_cursor.hpp"
#include "runtime/sight/page_sight.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/switching.hpp"
#include "trace/trace_rings.hpp"

namespace nearfork::detail {
namespace {

/// The place of the task that runs here, if its hints are noted; nullptr: no such task.
const noted_place* hinting_here() noexcept {
  if (!thread_mark()) return nullptr;
  const task_clock* const task = this_fiber().on_the_clock;
  return task != nullptr && task->at.log->notes_hints() ? &task->at : nullptr;
}

/// Differs from the name of a region at the same place.
std::string name_of_run(const call_site& where) {
  return "run at " + text_of(where);
}

void expect_subtrees(crew& home, region_iteration& iteration) {
  const plan& in_force = iteration.record->course.in_force();
  iteration.to_come = std::vector<seam::atomic<std::int32_t>>(home.domain_count());
  for (std::uint32_t i = 0; i < home.domain_count(); ++i) {
    const auto subtrees = static_cast<std::int32_t>(in_force.subtrees_at_home_in(i));
    iteration.to_come[i].store(subtrees, seam::memory_order_relaxed);
    home.domain_at(i).to_come.fetch_add(subtrees, seam::memory_order_relaxed);
    if (!in_force.may_cross(i)) home.domain_at(i).stays.fetch_add(1, seam::memory_order_relaxed);
  }
}

/// The tree has strayed, or thrown: subtrees that have not come will not come.
void expect_no_more(crew& home, const region_iteration& iteration) noexcept {
  for (std::uint32_t i = 0; i < iteration.to_come.size(); ++i) {
    if (!iteration.record->course.in_force().may_cross(i))
      home.domain_at(i).stays.fetch_sub(1, seam::memory_order_relaxed);
    const std::int32_t missing = iteration.to_come[i].load(seam::memory_order_relaxed);
    if (missing <= 0) continue;
    home.domain_at(i).to_come.fetch_sub(missing, seam::memory_order_release);
    home.announce_in_pool(i);  // its workers may help others now
  }
}

/// 0, which is no name, if there is no memory for it.
std::uint16_t number_in_trace(crew& home, const std::string& name) noexcept {
  try {
    return home.books().trace->number_of(name);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

void look_at_pages(crew& home, const std::string& region, detail::iteration_log* log,
                   std::uint64_t moved_bytes) noexcept {
  const task_books& books = home.books();
  if (books.sight != nullptr) books.sight->after_iteration(region, home.regions().memory(), log, moved_bytes > 0);
}

void note_power(worker& me, const iteration_news& news) noexcept {
  if (news.watts.empty()) return;
  try {
    const std::vector<std::string> packages = me.home.regions().packages();
    for (std::size_t i = 0; i < packages.size() && i < news.watts.size(); ++i)
      me.note({.value = std::bit_cast<std::uint64_t>(news.watts[i]),
               .name = me.home.books().trace->number_of("W of " + packages[i] + ", mean of the iteration"),
               .kind = traces::event_kind::counts});
  } catch (const std::bad_alloc&) {
    return;  // without memory for a name its counter is missing
  }
}

/// nullptr: the plan in force has nothing to say to this iteration, and another one may change it meanwhile.
region_iteration* on_course(region_iteration* iteration) noexcept {
  return iteration != nullptr && iteration->is_on_course ? iteration : nullptr;
}

}  // namespace

region_scope::region_scope(const region_options& options, const call_site& where)
    : exceptions_(std::uncaught_exceptions()) {
  const fiber& self = this_fiber();
  if (self.cursor != nullptr && !self.cursor->is_of_recorded_run()) return;  // inside another region's planned part
  try {
    begin(options, where);
  } catch (...) {
    end(false);
    throw;
  }
  note_beginning(name_.empty() ? options.name : name_);
  stand_at_root();
}

region_scope::~region_scope() {
  end(std::uncaught_exceptions() == exceptions_);
}

/// Does all that may throw; end() undoes what was done.
void region_scope::begin(const region_options& options, const call_site& where) {
  const own_allocations here;
  crew& home = this_fiber().runner->home;
  graph_recorder* const recorder = home.recorder();
  if (options.name.empty()) name_ = text_of(where);
  else if (recorder != nullptr || home.books().sight != nullptr) name_ = options.name;
  note_initialiser(name_.empty() ? options.name : name_);
  iteration_ =
      home.regions().enter(name_.empty() ? options : region_options{name_, options.input_bytes}, number_).release();
  if (iteration_ != nullptr && iteration_->is_watched) iteration_->watch.begin(home);
  begin_log(options.input_bytes);
  const bool needs_cursor = log_ != nullptr || (iteration_ != nullptr && iteration_->kind != iteration_kind{});
  if (!needs_cursor) return;  // only the duration is of interest
  root_ = std::make_unique<tree_cursor>(
      tree_cursor{.iteration = on_course(iteration_), .clock = {.at = {.log = log_.get()}}});
  if (on_course(iteration_) == nullptr) return;
  const plan& in_force = iteration_->record->course.in_force();
  root_->planned = plan_cursor(in_force, iteration_->kind.first_sweep);
  if (const plan_node* const root = in_force.root()) root_->where = root->where;
  if (iteration_->kind.planned) expect_subtrees(home, *iteration_);
}

/// Blocks of malloc that the tasks of a first iteration allocate are its data.
void region_scope::note_initialiser(const std::string& name) {
  if (!malloced.are_placed()) return;
  initialises_ = !this_fiber().runner->home.regions().knows(name);
  malloced.begin_region(initialises_);
}

void region_scope::note_beginning(const std::string& name) noexcept {
  worker& me = *this_fiber().runner;
  if (me.ring == nullptr) return;
  traced_as_ = number_in_trace(me.home, name);
  const std::uint64_t moved = iteration_ != nullptr ? iteration_->moved.moved_bytes : 0;
  if (moved > 0) me.note({.value = moved, .name = traced_as_, .kind = traces::event_kind::pages_move});
  const auto word = iteration_ != nullptr ? iteration_->word : traces::iteration_word::plain;
  me.note({.value = number_,
           .name = traced_as_,
           .kind = traces::event_kind::region_begins,
           .detail = static_cast<std::uint8_t>(word)});
}

void region_scope::note_end(bool complete, const std::string& new_plan) const noexcept {
  worker& me = *this_fiber().runner;
  if (me.ring == nullptr || !stands_) return;
  if (!new_plan.empty())
    me.note(
        {.number = number_in_trace(me.home, new_plan), .name = traced_as_, .kind = traces::event_kind::plan_changes});
  me.note({.kind = traces::event_kind::region_ends, .detail = complete ? std::uint8_t{1} : std::uint8_t{0}});
}

/// Makes one log for the recorder and the profile.
void region_scope::begin_log(std::uint64_t input_bytes) {
  crew& home = this_fiber().runner->home;
  const bool profiled = iteration_ != nullptr && iteration_->kind.profiling;
  if (graph_recorder* const recorder = home.recorder())
    log_ = recorder->begin(name_, input_bytes, recorded_root_kind::region,
                           profiled ? home.regions().room_for_profile() : 0);
  if (!profiled) return;
  if (log_ == nullptr) log_ = home.regions().log_for_profile(home.worker_count());
  log_->profile();
  if (iteration_->heat != nullptr && iteration_->heat->hears_hints()) log_->gauge();
}

void region_scope::stand_at_root() noexcept {
  fiber& self = this_fiber();
  outer_ = std::exchange(self.cursor, nullptr);
  stands_ = true;
  if (root_ != nullptr || outer_ != nullptr) measured_ = stop_clock(self);
  if (root_ == nullptr) return;
  if (on_course(iteration_) != nullptr) {
    crew& home = self.runner->home;
    const plan& in_force = iteration_->record->course.in_force();
    if (in_force.begins_in() != any_domain) go_on_in(self, domain_meant(in_force.begins_in(), home.domain_count()));
  }
  start_clock(self, root_->clock);
  self.cursor = root_.get();
  self.jobs.request();  // every fork asks the plan from now on
}

void region_scope::end(bool complete) noexcept {
  if (initialises_) malloced.end_first_iteration();
  if (iteration_ == nullptr && log_ == nullptr && outer_ == nullptr) {
    note_end(complete, {});
    if (stands_) look_at_pages(this_fiber().runner->home, name_, nullptr, 0);
    return;
  }
  const own_allocations here;
  fiber& self = this_fiber();
  if (stands_ && root_ != nullptr) {
    (void)stop_clock(self);
    note_if_strayed(*root_, complete);
  }
  const std::uint64_t ended_ns = now_ns();
  crew& home = self.runner->home;
  iteration_news news;
  std::optional<noted_tasks> noted;
  if (log_ != nullptr) noted.emplace(*log_);
  const std::uint64_t moved_bytes = iteration_ != nullptr ? iteration_->moved.moved_bytes : 0;
  if (iteration_ != nullptr) {
    iteration_->watch.end(home);
    expect_no_more(home, *iteration_);
    home.regions().leave(std::unique_ptr<region_iteration>(iteration_), complete, noted ? &*noted : nullptr,
                         self.runner->ring != nullptr ? &news : nullptr);
  }
  if (self.runner->ring != nullptr) note_power(*self.runner, news);
  note_end(complete, news.plan);
  if (log_ != nullptr && log_->records())
    home.recorder()->end(name_, *noted, {.ended_ns = ended_ns, .complete = complete});
  if (stands_) look_at_pages(home, name_, log_.get(), moved_bytes);
  if (stands_) self.cursor = outer_;
  if (outer_ != nullptr) self.jobs.request();
  if (measured_ != nullptr) start_clock(self, *measured_);
  if (home.iterations().profiling.load(seam::memory_order_relaxed) == 0) self.runner->misses.close();
}

void recorded_run::begin() {
  fiber& self = this_fiber();
  graph_recorder* const recorder = self.runner->home.recorder();
  if (recorder == nullptr || self.cursor != nullptr) return;
  log_ = recorder->begin(name_of_run(where_), 0, recorded_root_kind::run);
  if (log_ == nullptr) return;
  exceptions_ = std::uncaught_exceptions();
  root_ = new tree_cursor{.clock = {.at = {.log = log_.get()}}};
  start_clock(self, root_->clock);
  self.cursor = root_;
  self.jobs.request();
}

void recorded_run::end() noexcept {
  fiber& self = this_fiber();
  (void)stop_clock(self);
  const std::uint64_t ended_ns = now_ns();
  self.cursor = nullptr;
  noted_tasks noted(*log_);
  self.runner->home.recorder()->end(name_of_run(where_), noted,
                                    {.ended_ns = ended_ns, .complete = std::uncaught_exceptions() == exceptions_});
  look_at_pages(self.runner->home, name_of_run(where_), log_.get(), 0);
  delete root_;
}

void note_hint(hinted_access kind, const hinted_data& data) noexcept {
  const noted_place* const at = hinting_here();
  if (at == nullptr || data.bytes == 0 || data.count == 0) return;
  const recordings::data_access noted{
      .kind = kind == hinted_access::read ? recordings::access_kind::read : recordings::access_kind::write,
      .begin_byte = reinterpret_cast<std::uint64_t>(data.begin),
      .size_bytes = data.bytes,
      .count = data.count,
      .stride_bytes = data.count > 1 ? data.stride_bytes : 0};
  at->log->note_access(this_fiber().runner->index, {.task = at->task, .stretch = at->stretch, .access = noted});
}

}  // namespace nearfork::detail
