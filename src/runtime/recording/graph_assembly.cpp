#include "runtime/recording/graph_assembly.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "recording/graph_code.hpp"
#include "recording/recording_bounds.hpp"

namespace nearfork {
namespace {

using detail::iteration_log;
using detail::narrow_piece;
using detail::noted_access;
using detail::work_piece;
using detail::worker_log;

/// All notes of each task, those of one worker in their order. They lie where they were written, and each says where
/// the next one is in place of its task, which takes 4 bytes a task beside them.
template <class Notes>
class chains {
 public:
  chains(iteration_log& log, Notes worker_log::* notes) {
    for (worker_log& one : log.logs())
      for (std::size_t i = 0; i < (one.*notes).pages(); ++i) pages_.push_back((one.*notes).page(i));
    if (pages_.empty()) return;
    first_.assign(log.numbers_end(), none);
    std::size_t page = pages_.size();
    for (auto one = log.logs().rbegin(); one != log.logs().rend(); ++one)
      for (std::size_t i = ((*one).*notes).pages(); i-- > 0;) link(--page, ((*one).*notes).notes_on(i));
  }

  [[nodiscard]] bool empty() const noexcept { return pages_.empty(); }

  template <class Take>
  void for_each(std::uint32_t task, const Take& take) const {
    if (pages_.empty()) return;
    for (std::uint32_t at = first_[task]; at != none;) {
      const auto& one = pages_[at / Notes::per_page][at % Notes::per_page];
      take(one);
      at = one.task;
    }
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  void link(std::size_t page, std::size_t notes) {
    for (std::size_t i = notes; i-- > 0;) {
      auto& one = pages_[page][i];
      const std::uint32_t after =
          std::exchange(first_[one.task], static_cast<std::uint32_t>(page * Notes::per_page + i));
      one.task = after;
    }
  }

  using note = std::remove_pointer_t<decltype(std::declval<Notes&>().page(0))>;
  std::vector<note*> pages_;
  std::vector<std::uint32_t> first_;  // by task
};

std::vector<work_piece> wide_pieces_of(iteration_log& log) {
  std::vector<work_piece> all;
  for (worker_log& one : log.logs())
    for (std::size_t i = 0; i < one.wide_pieces.pages(); ++i)
      all.insert(all.end(), one.wide_pieces.page(i), one.wide_pieces.page(i) + one.wide_pieces.notes_on(i));
  std::ranges::stable_sort(all, {}, &work_piece::task);
  return all;
}

/// Tasks that somebody forked and whose turn has not come, family by family.
class waiting_tasks {
 public:
  void add(std::uint32_t first, std::uint32_t count) { families_.push_back({first, first + count}); }
  [[nodiscard]] bool empty() const noexcept { return at_ == families_.size(); }
  std::uint32_t take() {
    family& now = families_[at_];
    const std::uint32_t task = now.next++;
    if (now.next == now.end && ++at_ == forgotten_after) {
      families_.erase(families_.begin(), families_.begin() + forgotten_after);
      at_ = 0;
    }
    return task;
  }

 private:
  struct family {
    std::uint32_t next;
    std::uint32_t end;
  };
  static constexpr std::ptrdiff_t forgotten_after = 1 << 16;
  std::vector<family> families_;
  std::size_t at_ = 0;
};

class assembly {
 public:
  using access_teller = std::function<void(const recordings::data_access&)>;

  assembly(iteration_log& log, double ns_per_tick, const access_teller& tell_access)
      : ns_per_tick_(ns_per_tick),
        tell_access_(tell_access),
        pieces_(log, &worker_log::pieces),
        accesses_(log, &worker_log::accesses),
        wide_(wide_pieces_of(log)) {}

  assembled_graph run() {
    if (!accesses_.empty()) return breadth_first();
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
    return {.tasks = made.tasks(), .accesses = 0, .work_ns = work_ns_, .touched_bytes = 0, .code = made.take()};
  }

  assembled_graph breadth_first() {
    recordings::graph_encoder made;
    waiting_tasks waiting;
    waiting.add(0, 1);
    while (!waiting.empty()) {
      collect(waiting.take());
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
            .code = made.take()};
  }

  void collect(std::uint32_t task) {
    collect_pieces(task);
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
      // What is spawned and forked in one stretch is one fork: a tree has no finer word for it.
      forked += one.branching;
    }
    end_stretch();
    if (branching_.back() == 0) branching_.pop_back();
    else times_ns_.push_back(0);  // the region ended as its last fork did
    if (!accesses_.empty()) collect_accesses(task);
  }

  /// A task that went from worker to worker is in several logs; nearly all are in order.
  template <class Note>
  static void by_stretch(std::vector<Note>& notes) {
    if (!std::ranges::is_sorted(notes, {}, &Note::stretch)) std::ranges::stable_sort(notes, {}, &Note::stretch);
  }

  void collect_pieces(std::uint32_t task) {
    collected_.clear();
    pieces_.for_each(task, [&](const narrow_piece& one) {
      collected_.push_back({.task = task,
                            .stretch = one.stretch,
                            .first_child = one.first_child,
                            .branching = one.branching,
                            .ticks = one.ticks});
    });
    if (!wide_.empty()) {
      const auto found = std::ranges::equal_range(wide_, task, {}, &work_piece::task);
      collected_.insert(collected_.end(), found.begin(), found.end());
    }
    by_stretch(collected_);
  }

  void collect_accesses(std::uint32_t task) {
    touched_.clear();
    accesses_.for_each(task, [&](const noted_access& one) { touched_.push_back(one); });
    by_stretch(touched_);
    next_touched_ = 0;
  }

  std::uint64_t time_ns(std::int64_t ticks) {
    const double exact = static_cast<double>(ticks) * ns_per_tick_ + owed_ns_;
    // Cut off, not rounded, which takes a call of the library: the rest is not lost.
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

  /// A stretch below zero is one from which more was taken than measuring took there. What is more than this is no
  /// jitter, and would fall on some task that has nothing to do with it.
  static constexpr double most_owed_ns = 1000;
  /// Fits 64 bits, and is too much.
  static constexpr double most_stretch_ns = 2.0 * static_cast<double>(recordings::number_limit);

  double ns_per_tick_;
  double owed_ns_ = 0;
  const access_teller& tell_access_;
  chains<decltype(worker_log::pieces)> pieces_;
  chains<decltype(worker_log::accesses)> accesses_;
  std::vector<work_piece> wide_;  // by task
  std::uint64_t access_count_ = 0;
  std::uint64_t work_ns_ = 0;
  std::uint64_t touched_bytes_ = 0;
  // Of the task that is being added.
  std::vector<work_piece> collected_;
  std::vector<noted_access> touched_;
  std::size_t next_touched_ = 0;
  std::vector<std::uint32_t> branching_;
  std::vector<std::uint64_t> times_ns_;  // one more
  std::vector<recordings::data_access> in_stretch_;
};

}  // namespace

assembled_graph assemble(detail::iteration_log& log, double ns_per_tick,
                         const std::function<void(const recordings::data_access&)>& tell_access) {
  return assembly(log, ns_per_tick, tell_access).run();
}

}  // namespace nearfork
