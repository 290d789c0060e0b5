#pragma once

#include <nearfork/detail/language.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/per_worker_index.hpp>
#include <nearfork/runtime.hpp>
#include <nearfork/tasks/this_runtime.hpp>

namespace nearfork {

namespace detail {

template <class Make, class T>
concept makes_value = !std::same_as<Make, T> && requires(Make& make) {
  { make() } -> std::same_as<T>;
};

}  // namespace detail

/// One value for each worker of a runtime, and one more for all other threads: for counters, scratch memory and partial
/// results that need no lock. Each value has cache lines of its own.
///
///     nearfork::per_worker<long> found;
///     nearfork::parallel_for(0, 1000, [&](int i) { found.with([i](long& mine) { mine += i % 7 == 0; }); });
///     const long all = found.combine(std::plus<>());
///
/// The values exist from the start, as copies of the initial value, so combine() sees also values that nobody used: let
/// the initial value be the identity of the operation. Which worker runs which task changes from run to run. So the
/// result is the same each time only if the operation is associative and commutative.
///
/// A task moves to another worker at every fork, join, wait and parallel call inside it. A reference from local() is
/// then the value of a worker that runs something else, and using it is a data race. with() cannot go wrong that way,
/// as long as its callable does none of these things.
///
/// Threads that are no workers of the runtime share one value: outside threads, and workers of other runtimes. with()
/// locks it; local() does not, and refuses workers of other runtimes.
/// Thread-safety: local() and with() from any thread, as said above. All else only while no task uses the values.
/// The runtime may be destroyed before its values; only combine() and iteration are useful then.
template <class T>
class per_worker {
  struct alignas(alignof(T) > detail::cache_line_bytes ? alignof(T) : detail::cache_line_bytes) cell {
    T value;
  };
  /// A forward iterator over the values.
  template <bool Const>
  class cells_iterator;

 public:
  ///@{
  /// As containers have them.
  using value_type = T;
  using iterator = cells_iterator<false>;
  using const_iterator = cells_iterator<true>;
  ///@}

  /// Values for the current runtime (this_runtime::get()), made by T().
  /// Throws: as this_runtime::get(); std::bad_alloc; what making a T throws. Complexity: O(workers).
  per_worker()
    requires std::default_initializable<T>
      : per_worker(this_runtime::get()) {}
  /// Copies of `initial` for the current runtime.
  explicit per_worker(const T& initial)
    requires std::copy_constructible<T>
      : per_worker(this_runtime::get(), initial) {}
  /// Values for a given runtime.
  explicit per_worker(runtime& home)
    requires std::default_initializable<T>
      : per_worker(home, [](cell* from, std::size_t count) { std::uninitialized_value_construct_n(from, count); }, 0) {}
  /// Copies of `initial` for a given runtime.
  per_worker(runtime& home, const T& initial)
    requires std::copy_constructible<T>
      : per_worker(
            home, [&initial](cell* from, std::size_t count) { std::uninitialized_fill_n(from, count, cell{initial}); },
            0) {}
  /// Each value is what one call of `make` returns; T need not be copyable or movable:
  ///
  ///     nearfork::per_worker<std::vector<double>> scratch([n] { return std::vector<double>(n); });
  ///
  /// Throws: as the others, and what `make` throws.
  template <class Make>
    requires detail::makes_value<Make, T>
  explicit per_worker(Make make) : per_worker(this_runtime::get(), std::move(make)) {}
  /// The same for a given runtime.
  template <class Make>
    requires detail::makes_value<Make, T>
  per_worker(runtime& home, Make make)
      : per_worker(home, [&make](cell* from, std::size_t count) { make_each(from, count, make); }, 0) {}
  ~per_worker() {
    std::destroy_n(cells_, size());
    std::allocator<cell>().deallocate(cells_, size());
  }
  per_worker(const per_worker&) = delete;
  per_worker& operator=(const per_worker&) = delete;

  /// This worker's value, until the task may have moved (see above). On an outside thread: the value that all outside
  /// threads share; the caller sees to it that no other thread uses it meanwhile.
  /// Throws: nearfork::error on a worker of another runtime. Complexity: O(1), one call.
  [[nodiscard]] T& local() { return cells_[detail::own_index_in(home_, workers_)].value; }

  /// Calls f(T&) with this worker's value. f must not fork, join, wait or call parallel functions. Outside the runtime
  /// f runs under a lock, and must not call with() of the same values again.
  /// Returns: what f returns. Throws: what f throws. Complexity: O(1), one call.
  template <std::invocable<T&> F>
  decltype(auto) with(F&& f) {
    const unsigned mine = detail::index_in(home_, workers_);
    if (mine != workers_) return std::forward<F>(f)(cells_[mine].value);
    const std::lock_guard lock(outside_);
    return std::forward<F>(f)(cells_[mine].value);
  }

  /// op(op(first, second), third) and so on: the values of the workers by index, and last the value of the other
  /// threads. Leaves the values as they are.
  /// Throws: what copying a T and op throw. Complexity: O(workers).
  template <class Op>
    requires std::copy_constructible<T> && std::is_invocable_r_v<T, Op&, T, const T&>
  [[nodiscard]] T combine(Op op) const {
    T total(cells_[0].value);
    for (std::size_t i = 1; i < size(); ++i) total = op(std::move(total), cells_[i].value);
    return total;
  }

  /// The number of values: the runtime's workers, and one.
  [[nodiscard]] std::size_t size() const noexcept { return std::size_t{workers_} + 1; }
  ///@{
  /// The values in the order of combine().
  [[nodiscard]] iterator begin() noexcept { return iterator(cells_); }
  [[nodiscard]] iterator end() noexcept { return iterator(cells_ + size()); }
  [[nodiscard]] const_iterator begin() const noexcept { return const_iterator(cells_); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(cells_ + size()); }
  ///@}

 private:
  template <class Make>
  static void make_each(cell* from, std::size_t count, Make& make) {
    std::size_t made = 0;
    try {
      for (; made < count; ++made) ::new (static_cast<void*>(from + made)) cell{make()};
    } catch (...) {
      std::destroy_n(from, made);
      throw;
    }
  }

  template <class Make>
  per_worker(runtime& home, Make&& make, int) : home_(&home), workers_(home.workers()) {
    cells_ = std::allocator<cell>().allocate(size());
    try {
      make(cells_, size());
    } catch (...) {
      std::allocator<cell>().deallocate(cells_, size());
      throw;
    }
  }

  const runtime* home_;
  unsigned workers_;
  cell* cells_;
  std::mutex outside_;
};

template <class T>
template <bool Const>
class per_worker<T>::cells_iterator {
  using place = std::conditional_t<Const, const cell, cell>;

 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = std::conditional_t<Const, const T&, T&>;
  using pointer = std::conditional_t<Const, const T*, T*>;
  using iterator_category = std::forward_iterator_tag;

  cells_iterator() noexcept = default;
  explicit cells_iterator(place* at) noexcept : at_(at) {}
  reference operator*() const noexcept { return at_->value; }
  pointer operator->() const noexcept { return std::addressof(at_->value); }
  cells_iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  cells_iterator operator++(int) noexcept { return cells_iterator(at_++); }
  bool operator==(const cells_iterator&) const noexcept = default;

 private:
  place* at_ = nullptr;
};

}  // namespace nearfork
