#include "runtime/recording/graph_assembly.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "recording/graph_code.hpp"
#include "recording/recording_bounds.hpp"
#include "runtime/recording/flow_assembly.hpp"

namespace nearfork {
namespace {

using detail::noted_access;
using detail::noted_tasks;
using detail::waiting_tasks;
using detail::work_piece;

class assembly {
 public:
  using access_teller = std::function<void(const recordings::data_access&)>;

  assembly(noted_tasks& noted, double ns_per_tick, const access_teller& tell_access)
      : noted_(noted), ns_per_tick_(ns_per_tick), tell_access_(tell_access) {}

  assembled_graph run() {
    noted_.link();
    if (noted_.any_accesses() || !noted_.log().flows().empty()) return breadth_first();
    return depth_first();
  }

 private:
  struct family {
    std::uint32_t next;
    std::uint32_t end;
    std::size_t depth;
  };

  assembled_graph depth_first() {
    recordings::level_encoder made;
    std::vector<family> open{{.next = 0, .end = 1, .depth = 0}};
    while (!open.empty()) {
      family& now = open.back();
      const std::uint32_t task = now.next++;
      const std::size_t depth = now.depth;
      if (now.next == now.end) open.pop_back();
      collect(task);
      made.add_task(depth, branching_, times_ns_);
      for (auto one = collected_.rbegin(); one != collected_.rend(); ++one)
        if (one->branching > 0) open.push_back({one->first_child, one->first_child + one->branching, depth + 1});
    }
    return {
        .tasks = made.tasks(), .accesses = 0, .work_ns = work_ns_, .touched_bytes = 0, .code = made.take(), .flow = {}};
  }

  assembled_graph breadth_first() {
    recordings::graph_encoder made;
    waiting_tasks waiting;
    waiting.add(0, 1);
    if (!noted_.log().flows().empty()) place_of_.assign(noted_.log().numbers_end(), no_place);
    for (std::uint32_t place = 0; !waiting.empty(); ++place) {
      const std::uint32_t task = waiting.take();
      if (!place_of_.empty()) place_of_[task] = place;
      collect(task);
      made.add_task(branching_);
      for (std::uint32_t i = 0; i < times_ns_.size(); ++i) made.add_stretch(times_ns_[i], accesses_in(i));
      for (const work_piece& one : collected_)
        if (one.branching > 0) waiting.add(one.first_child, one.branching);
    }
    const std::uint32_t tasks = made.tasks();
    return {.tasks = tasks,
            .accesses = access_count_,
            .work_ns = work_ns_,
            .touched_bytes = touched_bytes_,
            .code = made.take(),
            .flow = flow_of(noted_.log().flows(), place_of_)};
  }

  void collect(std::uint32_t task) {
    collected_ = noted_.pieces_of(task);
    branching_.clear();
    times_ns_.clear();
    std::int64_t ticks = 0;
    std::uint32_t stretch = 0;
    std::uint32_t forked = 0;
    const auto end_stretch = [&] {
      branching_.push_back(forked);
      times_ns_.push_back(time_ns(ticks));
      ticks = forked = 0;
    };
    for (const work_piece& one : collected_) {
      if (one.stretch != stretch) end_stretch();
      stretch = one.stretch;
      ticks += one.ticks;
      // Tasks spawned and forked in one stretch count as one fork: a tree shows nothing finer.
      forked += one.branching;
    }
    end_stretch();
    if (branching_.back() == 0) branching_.pop_back();
    else times_ns_.push_back(0);  // the region ended when its last fork did
    touched_ = noted_.accesses_of(task);
    next_touched_ = 0;
  }

  std::uint64_t time_ns(std::int64_t ticks) {
    const double exact = static_cast<double>(ticks) * ns_per_tick_ + owed_ns_;
    // Truncated, since rounding takes a library call. The rest is not lost: it is carried over.
    const auto whole = exact < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(std::min(exact, most_stretch_ns));
    owed_ns_ = std::max(exact - static_cast<double>(whole), -most_owed_ns);
    recordings::add_or_saturate(work_ns_, whole);
    return whole;
  }

  std::span<const recordings::data_access> accesses_in(std::uint32_t stretch) {
    in_stretch_.clear();
    for (; next_touched_ < touched_.size() && touched_[next_touched_].stretch == stretch; ++next_touched_)
      in_stretch_.push_back(touched_[next_touched_].access);
    for (const recordings::data_access& one : in_stretch_) {
      tell_access_(one);
      recordings::add_or_saturate(touched_bytes_, recordings::touched_bytes(one));
    }
    access_count_ += in_stretch_.size();
    return in_stretch_;
  }

  /// A stretch is below zero if more was subtracted than measuring took there. More than this is no jitter, and would
  /// be charged to an unrelated task.
  static constexpr double most_owed_ns = 1000;
  /// Fits 64 bits, and is beyond number_limit.
  static constexpr double most_stretch_ns = 2.0 * static_cast<double>(recordings::number_limit);

  noted_tasks& noted_;
  double ns_per_tick_;
  double owed_ns_ = 0;
  const access_teller& tell_access_;
  std::uint64_t access_count_ = 0;
  std::uint64_t work_ns_ = 0;
  std::uint64_t touched_bytes_ = 0;
  std::vector<std::uint32_t> place_of_;  // by number, if there are dataflow tasks
  // State of the task that is being added.
  std::span<const work_piece> collected_;
  std::span<const noted_access> touched_;
  std::size_t next_touched_ = 0;
  std::vector<std::uint32_t> branching_;
  std::vector<std::uint64_t> times_ns_;  // one more than branching_
  std::vector<recordings::data_access> in_stretch_;
};

}  // namespace

assembled_graph assemble(detail::noted_tasks& noted, double ns_per_tick,
                         const std::function<void(const recordings::data_access&)>& tell_access) {
  return assembly(noted, ns_per_tick, tell_access).run();
}

}  // namespace nearfork
