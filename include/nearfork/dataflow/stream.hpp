#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/detail/dataflow/stream_state.hpp>

namespace nearfork {

class dataflow;

/// A handle of a stream: a sequence of elements without end, which tasks of a dataflow graph write and read in order,
/// each element written once. Get it from dataflow::stream(). Copies name the same stream.
///
///     int sum = 0;
///     nearfork::dataflow graph;
///     const auto numbers = graph.stream<int>();
///     for (int i = 0; i < 3; ++i)  // reads two elements at a time
///       graph.task({nearfork::in(numbers, 2)}, [&](std::span<const int> two) {
///         std::atomic_ref(sum).fetch_add(two[0] * two[1]);
///       });
///     for (int i = 0; i < 2; ++i)  // writes three
///       graph.task({nearfork::out(numbers, 3)}, [i](std::span<int> three) {
///         for (int& each : three) each = i + 1;
///       });
///     graph.sync();
///
/// A task's place in the stream is fixed when the task is created: a task that writes takes the next elements that no
/// task writes, a task that reads takes the next elements that no task has read. So any number of tasks may write and
/// read, in any order, and those that read may be created first. A task runs when all elements of its windows are
/// written. Tasks that are created by several tasks at once take their places in the order of the calls.
///
/// The elements of a window lie side by side. Bursts of less than 4 KiB share blocks of memory; a larger burst gets
/// its memory as a buffer does, when the task that writes it starts. A reader gets the elements where they were
/// written, if one task wrote them all or they lie in one block; otherwise a copy. An element is freed after its last
/// reader. Elements that no task reads are no error: they stay, also over wait(), while the stream has handles or
/// accesses; then the graph frees them when it makes more streams, or when it ends.
/// Thread-safety: different threads may use different handles.
template <class T>
class stream {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "a stream holds plain data");

 public:
  /// A handle without a stream.
  stream() noexcept = default;
  /// Another handle of the same stream.
  stream(const stream& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_holder();
  }
  /// Takes the stream of `other`, which has none afterwards.
  stream(stream&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  /// Gives up its own stream, and takes that of `other`.
  stream& operator=(stream other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~stream() {
    if (state_ != nullptr) state_->let_go();
  }

  /// Not for users.
  [[nodiscard]] detail::access_parts parts(detail::access_kind kind, std::size_t window,
                                           std::size_t burst) const noexcept {
    return {.bytes = bytes_of(window),
            .stride_bytes = bytes_of(burst),
            .element = &detail::element_tag<T>,
            .stream = state_,
            .kind = kind};
  }

 private:
  friend class dataflow;
  explicit stream(detail::stream_state& made) noexcept : state_(&made) {}
  /// The largest number stands for all that are too large.
  static std::size_t bytes_of(std::size_t elements) noexcept {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    return elements > most / sizeof(T) ? most : elements * sizeof(T);
  }

  detail::stream_state* state_ = nullptr;
};

/// The task reads the next `burst` elements: a std::span<const T> of that size.
template <class T>
[[nodiscard]] access in(const stream<T>& read, std::size_t burst = 1) noexcept {
  return access(read.parts(detail::access_kind::read, burst, burst));
}
/// The same, and the span goes on to `window` elements: those behind the burst are left for the tasks that read next.
/// `window` is at least `burst`.
template <class T>
[[nodiscard]] access in(const stream<T>& read, std::size_t burst, std::size_t window) noexcept {
  return access(read.parts(detail::access_kind::read, window, burst));
}
/// The task reads the next `count` elements, and leaves all of them for the tasks that read next. In one task, a
/// peek() behind in() sees the elements behind those of in(), and a peek() before it sees the same ones.
template <class T>
[[nodiscard]] access peek(const stream<T>& read, std::size_t count = 1) noexcept {
  return access(read.parts(detail::access_kind::read, count, 0));
}
/// The task writes the next `burst` elements: a std::span<T> of that size.
template <class T>
[[nodiscard]] access out(const stream<T>& written, std::size_t burst = 1) noexcept {
  return access(written.parts(detail::access_kind::write, burst, burst));
}
/// An element is written once, so it is not updated in place.
template <class T>
access inout(const stream<T>&) = delete;
/// See inout().
template <class T>
access commutative(const stream<T>&) = delete;

}  // namespace nearfork
