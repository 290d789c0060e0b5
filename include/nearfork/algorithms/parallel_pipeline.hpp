#pragma once

#include <nearfork/detail/language.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/short_lock.hpp>
#include <nearfork/detail/tasks/pipeline_turns.hpp>
#include <nearfork/error.hpp>
#include <nearfork/run.hpp>
#include <nearfork/task_group.hpp>

namespace nearfork {

/// How a filter of a pipeline takes its items.
enum class filter_mode : unsigned char {
  parallel,             ///< several at the same time, in any order
  serial_in_order,      ///< one at a time, in the order in which the source gave them
  serial_out_of_order,  ///< one at a time, in the order in which they arrive
};

/// One filter of parallel_pipeline(): see make_filter().
template <filter_mode Mode, class F>
struct pipeline_filter {
  F call;  // what is called with each item
};

/// A filter for parallel_pipeline(): what is done with each item, and how many items at a time.
///
///     const auto square = nearfork::make_filter<nearfork::filter_mode::parallel>([](int i) { return i * i; });
///
/// Keeps a copy of f, or f itself moved. Throws: what that copy or move throws.
template <filter_mode Mode, class F>
[[nodiscard]] pipeline_filter<Mode, std::decay_t<F>> make_filter(F&& f) {
  return {std::forward<F>(f)};
}

namespace detail {

/// What the filter passes on for an item of type In. The last filter may return void.
template <class Filter, class In>
using passed_on = std::decay_t<std::invoke_result_t<decltype((std::declval<Filter&>().call)), In>>;

/// The items that wait for a serial filter. At most one item is inside.
template <class In>
class filter_gate {
 public:
  /// True: the item may go in; call leave() afterwards. False: the gate keeps the item, and leave() gives it out.
  bool enter(std::size_t number, In& item, bool in_order) {
    const std::lock_guard locked(mutex_);
    const std::size_t place = in_order ? number : arrivals_++;
    if (!busy_ && place == next_) return busy_ = true;
    waiting_.emplace(place, std::pair<std::size_t, In>(number, std::move(item)));
    return false;
  }
  /// The number and the item that go in next, if they wait.
  std::optional<std::pair<std::size_t, In>> leave() {
    const std::lock_guard locked(mutex_);
    ++next_;
    if (waiting_.empty() || waiting_.begin()->first != next_) {
      busy_ = false;
      return std::nullopt;
    }
    const auto first = waiting_.begin();
    std::optional<std::pair<std::size_t, In>> taken(std::move(first->second));
    waiting_.erase(first);
    return taken;
  }

 private:
  short_lock mutex_;  // a std::mutex takes 12 ns more for each item and filter
  bool busy_ = false;
  std::size_t next_ = 0;      // the place that goes in next
  std::size_t arrivals_ = 0;  // places are given by arrival where there is no order
  std::map<std::size_t, std::pair<std::size_t, In>> waiting_;
};

/// A filter with the filters behind it, for items of type In.
template <class In, class... Filters>
class filter_chain {  // the end
 public:
  explicit filter_chain(task_group&, auto&) noexcept {}
  /// True: the item has left the pipeline. False: it waits, and another task brings it out.
  bool pass(std::size_t, In&&) { return true; }
};

/// The next chain's input; what the last filter returns is dropped.
template <class Filter, class In, class... Rest>
struct next_chain {
  using type = filter_chain<passed_on<Filter, In>, Rest...>;
};
template <class Filter, class In>
struct next_chain<Filter, In> {
  using type = filter_chain<std::nullptr_t>;
};

template <class In, filter_mode Mode, class F, class... Rest>
class filter_chain<In, pipeline_filter<Mode, F>, Rest...> {
  using filter = pipeline_filter<Mode, F>;
  static constexpr bool is_serial = Mode != filter_mode::parallel;
  struct no_gate {};

 public:
  /// `landed` is told of each item that another task has brought out, and whether that task has nothing else to do.
  template <class Landed>
  filter_chain(task_group& tasks, Landed& landed, filter& first, Rest&... rest)
      : tasks_(tasks),
        land_([](void* to, bool is_idle) { (*static_cast<Landed*>(to))(is_idle); }),
        landed_(&landed),
        filter_(first),
        next_(tasks, landed, rest...) {}

  bool pass(std::size_t number, In&& item) {
    if (tasks_.cancelled()) return true;
    if constexpr (is_serial)
      if (!gate_.enter(number, item, Mode == filter_mode::serial_in_order)) return false;
    return pass_inside(number, std::move(item));
  }

 private:
  bool pass_inside(std::size_t number, In&& item) {
    if constexpr (sizeof...(Rest) == 0) {
      static_cast<void>(std::invoke(filter_.call, std::move(item)));
      if constexpr (is_serial) bring_others_out();
      return true;
    } else {
      auto result = std::invoke(filter_.call, std::move(item));
      if constexpr (is_serial) let_next_in();
      return next_.pass(number, std::move(result));
    }
  }
  /// Other filters are behind this one: the next item goes in while this task brings its own on.
  void let_next_in() {
    auto next = gate_.leave();
    if (!next) return;
    tasks_.spawn([this, kept = std::move(*next)]() mutable {
      if (pass_inside(kept.first, std::move(kept.second))) land_(landed_, true);
    });
  }
  /// Nothing is left to do for the own item, so the items that wait need no tasks.
  void bring_others_out() {
    while (auto next = gate_.leave()) {
      if (tasks_.cancelled()) return;
      static_cast<void>(std::invoke(filter_.call, std::move(next->second)));
      land_(landed_, false);
    }
  }

  task_group& tasks_;
  void (*land_)(void*, bool);
  void* landed_;
  filter& filter_;
  [[no_unique_address]] std::conditional_t<is_serial, filter_gate<In>, no_gate> gate_;
  typename next_chain<filter, In, Rest...>::type next_;
};

/// A running pipeline.
template <class Source, class... Filters>
class pipeline_run {
  using item = typename std::decay_t<std::invoke_result_t<Source&>>::value_type;

 public:
  pipeline_run(std::size_t tokens, const cancellation_token& cancel, Source& source, Filters&... filters)
      : source_(source), tasks_(cancel), landed_{*this}, chain_(tasks_, landed_, filters...), turns_(tokens) {}

  void run() {
    tasks_.spawn([this] { use_source(); });
    tasks_.sync();
  }

 private:
  struct landing {
    pipeline_run& all;
    void operator()(bool is_idle) const {
      if (!is_idle) all.call_if(all.turns_.other_left());
      else if (all.turns_.brought_out()) all.use_source();
    }
  };

  [[nodiscard]] bool must_stop() const { return tasks_.cancelled() || this_task::cancelled(); }

  void call_if(bool one_is_needed) {
    if (one_is_needed)
      tasks_.spawn([this] {
        if (comes()) use_source();
      });
  }
  [[nodiscard]] bool comes() {
    return turns_.comes([this] { return must_stop(); });
  }

  /// Has the source. Takes items, and brings each as far as it gets.
  void use_source() {
    while (bring_items())
      if (!comes()) return;
  }
  /// True: the caller should wait for its turn.
  [[nodiscard]] bool bring_items() {
    pipeline_turns::turn mine;
    while (!must_stop()) {
      std::optional<item> taken = std::invoke(source_);
      if (!taken) {
        turns_.source_ended();
        return false;
      }
      call_if(turns_.took_item(mine));
      const bool has_left = chain_.pass(mine.number, std::move(*taken));
      const pipeline_turns::next now = has_left ? turns_.item_left(mine) : turns_.item_waits(mine);
      if (now != pipeline_turns::next::has_source) return now == pipeline_turns::next::waits_for_turn;
    }
    return false;
  }

  Source& source_;
  task_group tasks_;
  landing landed_;
  filter_chain<item, Filters...> chain_;
  pipeline_turns turns_;
};

}  // namespace detail

/// How many items are inside a pipeline at a time, and what cancels it. A number stands for itself: 16 is 16 tokens.
struct pipeline_options {
  /// At most so many items inside at a time, and the token that cancels the pipeline.
  // NOLINTNEXTLINE(google-explicit-constructor): so that a number can stand for the options
  pipeline_options(std::size_t most_items, cancellation_token stop = {}) noexcept
      : tokens(most_items), cancel(std::move(stop)) {}

  /// The most items inside at a time, at least 1. This bounds the memory, whichever filter is slowest.
  std::size_t tokens;
  /// Cancels the pipeline: the source is not called again, and the items inside are dropped.
  cancellation_token cancel;
};

/// Sends items from a source through filters, several items at the same time.
///
///     long next = 0;
///     std::vector<long> squares;
///     nearfork::parallel_pipeline(
///         16, [&]() -> std::optional<long> { return next < 100 ? std::optional(next++) : std::nullopt; },
///         nearfork::make_filter<nearfork::filter_mode::parallel>([](long i) { return i * i; }),
///         nearfork::make_filter<nearfork::filter_mode::serial_in_order>([&](long i) { squares.push_back(i); }));
///
/// `source` returns a std::optional of an item; an empty one ends the pipeline. It is called by one task at a time.
/// Each filter gets what the one before it returned. Items may be move-only. What the last filter returns is dropped.
/// An item that must wait for a serial filter does not hold up its worker.
/// Throws: what the source or a filter threw; then the source is not called again, and the items inside are dropped.
/// nearfork::error if there are 0 tokens. nearfork::cancelled if the task around the call is cancelled. A pipeline that
/// options.cancel ended returns normally. std::bad_alloc.
/// Complexity: one call of each filter per item, two short locks for the source and two for each serial filter; a task
/// for an item that waits for a serial filter other than the last.
/// Thread-safety: any thread. Outside a worker the pipeline runs inside the process-wide runtime. Several threads may
/// call a parallel filter at the same time.
template <class Source, filter_mode... Modes, class... F>
  requires std::invocable<Source&> && (sizeof...(F) > 0)
void parallel_pipeline(const pipeline_options& options, Source&& source, pipeline_filter<Modes, F>... filters) {
  if (options.tokens == 0) throw error("parallel_pipeline: 0 tokens let no item in; give at least 1");
  using pipeline = detail::pipeline_run<std::remove_reference_t<Source>, pipeline_filter<Modes, F>...>;
  nearfork::run([&] { pipeline(options.tokens, options.cancel, source, filters...).run(); });
}

}  // namespace nearfork
