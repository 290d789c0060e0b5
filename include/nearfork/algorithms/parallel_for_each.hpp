#pragma once

#include <nearfork/detail/language.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/algorithms/parallel_for_ranges.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/task_group.hpp>

namespace nearfork {
namespace detail {

/// False for a range that must be walked. Its end may be unknown although its iterators have random access, as that of
/// std::views::take_while is.
template <class It, class End>
concept jumps_to_elements = std::random_access_iterator<It> && std::sized_sentinel_for<End, It>;

/// Every stride-th iterator of a range that can only be walked. The stride doubles when there are too many, so one walk
/// is enough, and long ranges need little memory.
template <class It>
struct milestones {
  static constexpr std::size_t most = 8192;
  std::vector<It> at;
  std::size_t stride = 1;

  template <class End>
  milestones(It first, End last) {
    for (std::size_t i = 0; first != last; (void)++first, ++i) {
      if (i % stride != 0) continue;
      if (at.size() == most) thin_out();
      if (i % stride == 0) at.push_back(first);
    }
  }

 private:
  void thin_out() {
    for (std::size_t i = 0; 2 * i < at.size(); ++i) at[i] = at[2 * i];
    at.resize((at.size() + 1) / 2, at[0]);
    stride *= 2;
  }
};

template <class It, class End, class Body>
void for_each_by_walking(It first, End last, Body& body, const loop_options& options) {
  const milestones<It> known(first, last);
  parallel_for(
      std::size_t{0}, known.at.size(),
      [&](std::size_t i) {
        It it = known.at[i];
        for (std::size_t left = known.stride; left != 0 && it != last; --left, (void)++it) {
          if (this_task::cancelled()) return;
          std::invoke(body, *it);
        }
      },
      options);
}

template <class Item, class Body>
class feeding;

}  // namespace detail

/// Through which the body of parallel_for_each adds items.
template <class Item>
class feeder {
 public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  /// Has the body called for this item, too, now or later, on any worker. After a cancellation or an exception the item
  /// is skipped.
  /// Complexity: as task_group::spawn. Throws: as task_group::spawn.
  /// Thread-safety: the body that was given the feeder, and work inside it.
  void add(Item item) { add_(*this, std::move(item)); }

 private:
  template <class, class>
  friend class detail::feeding;
  using add_function = void (*)(feeder&, Item&&);
  explicit feeder(add_function how) noexcept : add_(how) {}
  ~feeder() = default;

  add_function add_;
};

namespace detail {

/// Items nest on a stack, as forks do: that keeps them with their worker. An item that nests too deep becomes a task of
/// the group around all, and begins on a stack of its own. So chains of items may have any length.
template <class Item, class Body>
class feeding {
 public:
  feeding(Body& body, const cancellation_token& cancel) : body_(body), all_(cancel) {}

  template <class It, class End>
  void run(It first, End last, const loop_options& options) {
    const auto one = [this](auto&& item) { this->run_item(item, 0); };
    all_.spawn([&] {
      if constexpr (jumps_to_elements<It, End>) {
        parallel_for(
            std::size_t{0}, static_cast<std::size_t>(last - first),
            [&](std::size_t i) { one(first[static_cast<std::iter_difference_t<It>>(i)]); }, options);
      } else for_each_by_walking(first, last, one, options);
    });
    all_.sync();
  }

 private:
  static constexpr unsigned deepest = 32;

  struct local_feeder : feeder<Item> {
    local_feeder(feeding& all, unsigned depth) noexcept : feeder<Item>(&add_to), all_(all), depth_(depth) {}
    ~local_feeder() = default;

    static void add_to(feeder<Item>& to, Item&& item) {
      auto& me = static_cast<local_feeder&>(to);
      const unsigned depth = me.depth_ == deepest ? 0 : me.depth_ + 1;
      task_group& group = depth == 0 ? me.all_.all_ : me.added_;
      group.spawn([&all = me.all_, depth, kept = std::move(item)]() mutable { all.run_item(kept, depth); });
    }

    feeding& all_;
    unsigned depth_;
    task_group added_;
  };

  template <class Element>
  void run_item(Element&& item, unsigned depth) {
    local_feeder local(*this, depth);
    std::invoke(body_, item, static_cast<feeder<Item>&>(local));
    local.added_.sync();
  }

  Body& body_;
  task_group all_;
};

template <class Body, class It>
concept takes_feeder = std::invocable<Body&, std::iter_reference_t<It>, feeder<std::iter_value_t<It>>&>;
template <class Body, class It>
concept each_body = takes_feeder<Body, It> || std::invocable<Body&, std::iter_reference_t<It>>;

template <class It, class End, class Body>
void for_each_element(It first, End last, Body& body, const loop_options& options) {
  if constexpr (takes_feeder<Body, It>) {
    feeding<std::iter_value_t<It>, Body>(body, options.cancel).run(first, last, options);
  } else if constexpr (jumps_to_elements<It, End>) {
    const one_call<Body, std::iter_reference_t<It>> call{body};
    parallel_for(first, first + (last - first), [=](It it) { std::invoke(call.f, *it); }, options);
  } else for_each_by_walking(first, last, body, options);
}

}  // namespace detail

/// Calls body(element) for each element of [first, last) exactly once, in any order, in parallel. Forward iterators are
/// enough, such as those of a list. Returns when all calls are done.
///
///     std::list<int> numbers(1000, 1);
///     nearfork::parallel_for_each(numbers.begin(), numbers.end(), [](int& n) { n *= 2; });
///
/// A body with a second parameter adds items while it runs: body(element, feeder). The items are values of the
/// iterator's value type. The call returns when the added items are done, too.
///
///     std::vector<int> roots{40, 30};
///     std::atomic<int> leaves{0};
///     nearfork::parallel_for_each(roots.begin(), roots.end(), [&](int n, nearfork::feeder<int>& more) {
///       if (n < 2) leaves.fetch_add(1);
///       else more.add(n / 2), more.add(n - n / 2);
///     });
///
/// Throws: what a body threw; if several did, one of these exceptions. The remaining elements are then skipped on all
/// workers. nearfork::cancelled if the task around the call is cancelled. A call that options.cancel ended returns
/// normally. std::bad_alloc.
/// Complexity: one call of body per element. If the iterators have no random access, one walk over the range comes
/// first, and takes memory for 8192 iterators at most. options.grain: as in parallel_for; without random access it
/// counts such pieces.
/// Thread-safety: any thread. Outside a worker the calls run inside the process-wide runtime. Several threads may call
/// body at the same time.
template <std::forward_iterator It, class Body>
  requires detail::each_body<Body, It>
void parallel_for_each(It first, It last, Body&& body, const loop_options& options = {}) {
  run([&] { detail::for_each_element(first, last, body, options); });
}

/// The same for a range.
template <std::ranges::forward_range Range, class Body>
  requires detail::each_body<Body, std::ranges::iterator_t<Range>>
void parallel_for_each(Range&& range, Body&& body, const loop_options& options = {}) {
  run([&] { detail::for_each_element(std::ranges::begin(range), std::ranges::end(range), body, options); });
}

}  // namespace nearfork
