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

/// How the values of a per_worker are made.
template <class T>
class value_source {
 public:
  value_source() = default;
  value_source(const value_source&) = delete;
  value_source& operator=(const value_source&) = delete;
  virtual ~value_source() = default;
  /// Any thread, several at a time. Throws what making a T throws.
  virtual void make_at(void* place) = 0;
};
template <class T>
class default_values final : public value_source<T> {
  void make_at(void* place) override { ::new (place) T(); }
};
template <class T>
class copied_values final : public value_source<T> {
 public:
  explicit copied_values(const T& initial) : initial_(initial) {}

 private:
  void make_at(void* place) override { ::new (place) T(initial_); }
  const T initial_;
};
/// One call of the callable at a time.
template <class T, class Make>
class called_for_values final : public value_source<T> {
 public:
  explicit called_for_values(Make make) : make_(std::move(make)) {}

 private:
  void make_at(void* place) override {
    const std::lock_guard one_call(calling_);
    ::new (place) T(make_());
  }
  std::mutex calling_;
  Make make_;
};

}  // namespace detail

/// One value for each worker of a runtime, and one more for all other threads: for counters, scratch memory and partial
/// results that need no lock. Each value has cache lines of its own. Further workers, which run calls of several
/// threads at once (docs/TASKS.md), have values as soon as they ask for them.
///
///     nearfork::per_worker<long> found;
///     nearfork::parallel_for(0, 1000, [&](int i) { found.with([i](long& mine) { mine += i % 7 == 0; }); });
///     const long all = found.combine(std::plus<>());
///
/// A worker makes its value when it first asks for it, so what the value allocates is memory near that worker, and in
/// no cache line with another worker's. combine() and iteration make those that nobody has asked for, as copies of the
/// initial value: let that be the identity of the operation. Which worker runs which task changes from run to run. So
/// the result is the same each time only if the operation is associative and commutative.
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
    cell() noexcept {}  // NOLINT(modernize-use-equals-default): a union with a T has no default constructor
    cell(const cell&) = delete;
    cell& operator=(const cell&) = delete;
    ~cell() {
      if (made) std::destroy_at(std::addressof(value));
    }
    void make_by(detail::value_source<T>& source) {
      source.make_at(static_cast<void*>(std::addressof(value)));
      made = true;
    }

    union {
      T value;
    };
    bool made = false;
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
  /// Throws: as this_runtime::get(); std::bad_alloc. What making a T throws, local(), with(), combine() and iteration
  /// throw. Complexity: O(workers).
  per_worker()
    requires std::default_initializable<T>
      : per_worker(this_runtime::get()) {}
  /// Copies of `initial` for the current runtime. Throws: as the first, and what copying `initial` throws.
  explicit per_worker(const T& initial)
    requires std::copy_constructible<T>
      : per_worker(this_runtime::get(), initial) {}
  /// Values for a given runtime.
  explicit per_worker(runtime& home)
    requires std::default_initializable<T>
      : per_worker(home, std::make_unique<detail::default_values<T>>()) {}
  /// Copies of `initial` for a given runtime.
  per_worker(runtime& home, const T& initial)
    requires std::copy_constructible<T>
      : per_worker(home, std::make_unique<detail::copied_values<T>>(initial)) {}
  /// Each value is what one call of `make` returns; T need not be copyable or movable:
  ///
  ///     nearfork::per_worker<std::vector<double>> scratch([n] { return std::vector<double>(n); });
  ///
  /// Workers call `make` when they first ask for their values, one at a time; so it must not fork, wait or call
  /// parallel functions, and what it refers to must live as long as the values.
  /// Throws: as the first, and what moving `make` throws.
  template <class Make>
    requires detail::makes_value<Make, T>
  explicit per_worker(Make make) : per_worker(this_runtime::get(), std::move(make)) {}
  /// The same for a given runtime.
  template <class Make>
    requires detail::makes_value<Make, T>
  per_worker(runtime& home, Make make)
      : per_worker(home, std::make_unique<detail::called_for_values<T, Make>>(std::move(make))) {}
  per_worker(const per_worker&) = delete;
  per_worker& operator=(const per_worker&) = delete;

  /// This worker's value, until the task may have moved (see above). On an outside thread: the value that all outside
  /// threads share; the caller sees to it that no other thread uses it meanwhile.
  /// Throws: nearfork::error on a worker of another runtime; the first time what making a T throws. Complexity: O(1),
  /// one call.
  [[nodiscard]] T& local() { return value_at(detail::own_index_in(home_, workers_)); }

  /// Calls f(T&) with this worker's value. f must not fork, join, wait or call parallel functions. Outside the runtime
  /// f runs under a lock, and must not call with() of the same values again.
  /// Returns: what f returns. Throws: what f throws; the first time what making a T throws. Complexity: O(1), one call.
  template <std::invocable<T&> F>
  decltype(auto) with(F&& f) {
    const unsigned mine = detail::index_in(home_, workers_);
    if (mine != workers_) return std::forward<F>(f)(value_at(mine));
    const std::lock_guard lock(outside_);
    return std::forward<F>(f)(value_at(mine));
  }

  /// op(op(first, second), third) and so on: the values of the workers by index, and last the value of the other
  /// threads. Leaves the values as they are.
  /// Throws: what making and copying a T and op throw. Complexity: O(workers).
  template <class Op>
    requires std::copy_constructible<T> && std::is_invocable_r_v<T, Op&, T, const T&>
  [[nodiscard]] T combine(Op op) const {
    make_rest();
    T total(cells_[0].value);
    for (std::size_t i = 1; i < cells(); ++i)
      if (cells_[i].made) total = op(std::move(total), cells_[i].value);
    return total;
  }

  /// The number of values: the runtime's workers, one, and the further workers that have asked. Complexity: O(workers).
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t all = usual();
    for (std::size_t i = usual(); i < cells(); ++i) all += cells_[i].made ? 1 : 0;
    return all;
  }
  ///@{
  /// The values in the order of combine(). begin() throws what making a T throws.
  [[nodiscard]] iterator begin() { return iterator(all(), past_all()); }
  [[nodiscard]] iterator end() noexcept { return iterator(past_all(), past_all()); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(all(), past_all()); }
  [[nodiscard]] const_iterator end() const noexcept { return const_iterator(past_all(), past_all()); }
  ///@}

 private:
  per_worker(runtime& home, std::unique_ptr<detail::value_source<T>> source)
      : home_(&home), workers_(home.workers()), source_(std::move(source)), cells_(new cell[cells()]) {}

  /// Of the runtime's workers and of other threads.
  [[nodiscard]] std::size_t usual() const noexcept { return std::size_t{workers_} + 1; }
  /// The same and those of further workers, which are made only if they ask.
  [[nodiscard]] std::size_t cells() const noexcept { return usual() + std::size_t{workers_} * detail::further_crews; }

  [[nodiscard]] T& value_at(unsigned mine) {
    cell& own = cells_[mine];
    if (!own.made) [[unlikely]]
      own.make_by(*source_);
    return own.value;
  }
  /// Several threads may read the values at a time.
  void make_rest() const {
    const std::lock_guard one_maker(rest_);
    for (std::size_t i = 0; i < usual(); ++i)
      if (!cells_[i].made) cells_[i].make_by(*source_);
  }
  [[nodiscard]] cell* all() const {
    make_rest();
    return cells_.get();
  }
  [[nodiscard]] cell* past_all() const noexcept { return cells_.get() + cells(); }

  const runtime* home_;
  unsigned workers_;
  std::unique_ptr<detail::value_source<T>> source_;
  std::unique_ptr<cell[]> cells_;
  std::mutex outside_;
  mutable std::mutex rest_;
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
  cells_iterator(place* at, place* past_all) noexcept : at_(at), past_all_(past_all) {}
  reference operator*() const noexcept { return at_->value; }
  pointer operator->() const noexcept { return std::addressof(at_->value); }
  cells_iterator& operator++() noexcept {
    do ++at_;
    while (at_ != past_all_ && !at_->made);
    return *this;
  }
  cells_iterator operator++(int) noexcept {
    const cells_iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const cells_iterator&) const noexcept = default;

 private:
  place* at_ = nullptr;
  place* past_all_ = nullptr;
};

}  // namespace nearfork
