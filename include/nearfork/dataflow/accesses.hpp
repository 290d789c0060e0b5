#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/detail/dataflow/access_parts.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>
#include <nearfork/detail/dataflow/stream_state.hpp>

namespace nearfork {

template <class T>
class buffer;
template <class T>
class stream;

/// One access that a dataflow task declares: which bytes, and how. Made by in(), out(), inout(), commutative() and
/// reduction(). A value. The data must live until the task has ended; a buffer or a stream lives as long as an access
/// names it, as by a handle. Thread-safety: different threads may use different accesses.
class access {
 public:
  /// Not for users.
  explicit access(const detail::access_parts& parts) noexcept : parts_(parts) { hold(); }
  /// The same access.
  access(const access& other) noexcept : access(other.parts_) {}
  /// Takes the access of `other`, which names nothing that there would be afterwards.
  access(access&& other) noexcept : parts_(other.parts_) {
    other.parts_.buffer = nullptr;
    other.parts_.stream = nullptr;
  }
  /// Becomes the access `other`.
  access& operator=(access other) noexcept {
    std::swap(parts_, other.parts_);
    return *this;
  }
  ~access() {
    if (parts_.buffer != nullptr) parts_.buffer->let_go();
    if (parts_.stream != nullptr) parts_.stream->let_go();
  }

  /// Not for users.
  [[nodiscard]] const detail::access_parts& parts() const noexcept { return parts_; }

 private:
  void hold() const noexcept {
    if (parts_.buffer != nullptr) parts_.buffer->add_holder();
    if (parts_.stream != nullptr) parts_.stream->add_holder();
  }

  detail::access_parts parts_;
};

namespace detail {

template <class Data>
inline constexpr bool is_graph_data = false;
template <class T>
inline constexpr bool is_graph_data<buffer<T>> = true;
template <class T>
inline constexpr bool is_graph_data<stream<T>> = true;
template <class Data>
concept own_data = !is_graph_data<std::remove_cvref_t<Data>>;

template <class Data>
concept elements_in_a_row =
    std::ranges::contiguous_range<Data> && std::ranges::sized_range<Data> && std::ranges::borrowed_range<Data>;

template <class T>
access access_of(access_kind kind, T* first, std::size_t count, const reduction_rule* rule = nullptr) noexcept {
  using element = std::remove_cv_t<T>;
  return access({.data = reinterpret_cast<std::byte*>(const_cast<element*>(first)),
                 .bytes = count * sizeof(T),
                 .element = &element_tag<element>,
                 .rule = rule,
                 .kind = kind});
}

/// The elements of a range; else the object itself.
template <class Data>
access access_to(access_kind kind, Data&& data) noexcept {
  if constexpr (elements_in_a_row<Data>) {
    return access_of(kind, std::ranges::data(data), std::ranges::size(data));
  } else {
    static_assert(std::is_lvalue_reference_v<Data>, "the data of an access must outlive the task");
    return access_of(kind, std::addressof(data), 1);
  }
}

template <class Data>
concept writable_data = own_data<Data> && [] {
  if constexpr (elements_in_a_row<Data>)
    return !std::is_const_v<std::remove_pointer_t<decltype(std::ranges::data(std::declval<Data&>()))>>;
  else return std::is_lvalue_reference_v<Data> && !std::is_const_v<std::remove_reference_t<Data>>;
}();

inline access weakly(const access& strong) noexcept {
  access_parts parts = strong.parts();
  parts.weak = true;
  return access(parts);
}

template <class T>
access tile_access(access_kind kind, std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  access_parts parts = access_of(kind, first_piece.data(), first_piece.size()).parts();
  parts.pieces = pieces;
  parts.stride_bytes = stride * sizeof(T);
  return access(parts);
}

}  // namespace detail

/// The task reads these elements: a contiguous range, or a single object. It runs after the tasks created before it
/// that write any of the bytes.
///
///     std::vector<double> a(100), b(100);
///     nearfork::dataflow graph;
///     graph.task({nearfork::out(a)}, [&] { a[0] = 1; });
///     graph.task({nearfork::in(a), nearfork::out(b)}, [&] { b[0] = a[0]; });
///     graph.sync();
///
/// Complexity: constant. Thread-safety: any thread.
template <detail::own_data Data>
[[nodiscard]] access in(Data&& data) noexcept {
  return detail::access_to<Data>(detail::access_kind::read, std::forward<Data>(data));
}
/// The same for a tile: `pieces` pieces as long as the first, whose begins lie `stride` elements apart. A task with
/// tiles takes no spans: its callable has no parameters, or takes task_data. It costs what a range costs, however many
/// pieces; but that of a range for each piece where tasks since the last wait() wrote the rows one by one.
template <class T>
[[nodiscard]] access in(std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  return detail::tile_access(detail::access_kind::read, first_piece, pieces, stride);
}

/// The task writes these elements. It runs after all tasks created before it that access any of the bytes, and before
/// those created after it.
template <class Data>
  requires detail::writable_data<Data>
[[nodiscard]] access out(Data&& data) noexcept {
  return detail::access_to<Data>(detail::access_kind::write, std::forward<Data>(data));
}
/// The same for a tile: see in().
template <class T>
  requires(!std::is_const_v<T>)
[[nodiscard]] access out(std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  return detail::tile_access(detail::access_kind::write, first_piece, pieces, stride);
}

/// The task reads and writes these elements. The order is that of out().
template <class Data>
  requires detail::writable_data<Data>
[[nodiscard]] access inout(Data&& data) noexcept {
  return detail::access_to<Data>(detail::access_kind::write, std::forward<Data>(data));
}
/// The same for a tile: see in().
template <class T>
  requires(!std::is_const_v<T>)
[[nodiscard]] access inout(std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  return detail::tile_access(detail::access_kind::write, first_piece, pieces, stride);
}

/// Tasks that are nested in this one read these elements; see nested_tasks. The task itself does not touch them, and
/// does not wait for them.
template <detail::own_data Data>
[[nodiscard]] access weak_in(Data&& data) noexcept {
  return detail::weakly(in(std::forward<Data>(data)));
}
/// The same for a tile: see in().
template <class T>
[[nodiscard]] access weak_in(std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  return detail::weakly(in(first_piece, pieces, stride));
}
/// Tasks that are nested in this one write these elements; see weak_in().
template <class Data>
  requires detail::writable_data<Data>
[[nodiscard]] access weak_out(Data&& data) noexcept {
  return detail::weakly(out(std::forward<Data>(data)));
}
/// The same for a tile: see in().
template <class T>
  requires(!std::is_const_v<T>)
[[nodiscard]] access weak_out(std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  return detail::weakly(out(first_piece, pieces, stride));
}
/// Tasks that are nested in this one read and write these elements; see weak_in().
template <class Data>
  requires detail::writable_data<Data>
[[nodiscard]] access weak_inout(Data&& data) noexcept {
  return detail::weakly(inout(std::forward<Data>(data)));
}
/// The same for a tile: see in().
template <class T>
  requires(!std::is_const_v<T>)
[[nodiscard]] access weak_inout(std::span<T> first_piece, std::size_t pieces, std::size_t stride) noexcept {
  return detail::weakly(inout(first_piece, pieces, stride));
}

/// The task updates these elements, and the order among such tasks does not matter: no two of them run at once, and
/// they run in any order. Towards other accesses the order is that of out().
template <class Data>
  requires detail::writable_data<Data>
[[nodiscard]] access commutative(Data&& data) noexcept {
  return detail::access_to<Data>(detail::access_kind::commutative, std::forward<Data>(data));
}

/// The task adds to these elements by `Op`. Such tasks run at once: each has a copy that begins as the identity of
/// `Op`, and its callable takes the copy as a std::span. After the task the copy is folded into the elements. The order
/// of the folds is not fixed, so sums of floating-point numbers may differ in the last bits. Towards other accesses,
/// and towards reductions by another operator, the order is that of out().
/// Each task takes the time to fill and to fold a copy: where it adds to few of many elements, use accumulation().
///
///     double sum = 0;
///     nearfork::dataflow graph;
///     for (int i = 0; i < 10; ++i)
///       graph.task({nearfork::reduction(sum, std::plus<>())}, [](std::span<double> mine) { mine[0] += 1; });
///     graph.sync();
///
/// `Op` has no members. Its identity is known for the standard library's operators on numbers, and on classes that are
/// made from the numbers 0 and 1, such as std::complex. For aggregates `Op` is a class with a static identity():
///
///     struct point { double x, y; };
///     struct add_points {
///       static point identity() { return {0, 0}; }
///       point operator()(const point& a, const point& b) const { return {a.x + b.x, a.y + b.y}; }
///     };
template <class Data, class Op>
  requires detail::writable_data<Data>
[[nodiscard]] access reduction(Data&& data, Op /*by*/) noexcept {
  detail::access_parts parts =
      detail::access_to<Data>(detail::access_kind::reduction, std::forward<Data>(data)).parts();
  const auto rule_for = []<class T>(const T*) {
    static_assert(detail::knows_identity<T, Op>,
                  "a reduction of aggregates needs an operator with a static identity(): a class of the program");
    static_assert(detail::reducible<T, Op>,
                  "a reduction needs trivially copyable elements and an operator with an identity");
    return &detail::reduction_of<T, Op>;
  };
  if constexpr (detail::elements_in_a_row<Data>) parts.rule = rule_for(std::ranges::data(data));
  else parts.rule = rule_for(std::addressof(data));
  return access(parts);
}

/// As reduction(), but the copy may hold what other tasks have added to it: so the callable adds by `Op` to what it
/// finds, and does not assign. There is a copy for each task that runs at the same time, as for each thread in
/// OpenMP's in_reduction, and the last task of all that are known folds them. If a task throws, what it has added may
/// be in the elements.
///
///     std::vector<long> counts(1'000'000);
///     nearfork::dataflow graph;
///     for (int i = 0; i < 100; ++i)
///       graph.task({nearfork::accumulation(counts, std::plus<>())}, [i](std::span<long> mine) { mine[i * 7] += 1; });
///     graph.sync();
template <class Data, class Op>
  requires detail::writable_data<Data>
[[nodiscard]] access accumulation(Data&& data, Op by) noexcept {
  detail::access_parts parts = reduction(std::forward<Data>(data), by).parts();
  parts.any_copy = true;
  return access(parts);
}

}  // namespace nearfork
