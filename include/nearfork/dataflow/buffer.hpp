#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>

namespace nearfork {

class dataflow;

namespace detail {
/// Throws nearfork::error unless the buffer was written.
[[nodiscard]] std::byte* written_data(const buffer_state* of);
}  // namespace detail

/// A handle of a buffer: memory of a dataflow graph that one task writes, once, and others read afterwards. Get it from
/// dataflow::buffer(). Copies name the same buffer.
///
/// The memory is taken when the task that writes it starts, so that its pages lie near that task (config::alloc can say
/// otherwise). On a machine whose workers are beside several memory nodes it comes from a pool of that node. It is
/// given back when all handles and accesses are gone and all tasks that name it have ended: so let a handle end when
/// its last task is created. Thread-safety: different threads may use different handles.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "a buffer holds plain data");

 public:
  /// A handle without a buffer.
  buffer() noexcept = default;
  /// Another handle of the same buffer.
  buffer(const buffer& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_holder();
  }
  /// Takes the buffer of `other`, which has none afterwards.
  buffer(buffer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  /// Gives up its own buffer, and takes that of `other`.
  buffer& operator=(buffer other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~buffer() {
    if (state_ != nullptr) state_->let_go();
  }

  /// What the task wrote. Call it when the graph has been waited for. The span is valid while a handle lives.
  /// Throws: nearfork::error if the buffer was not written.
  [[nodiscard]] std::span<const T> view() const {
    const void* const first = detail::written_data(state_);
    return {static_cast<const T*>(first), state_->bytes / sizeof(T)};
  }
  /// The number of elements; 0 without a buffer.
  [[nodiscard]] std::size_t size() const noexcept { return state_ == nullptr ? 0 : state_->bytes / sizeof(T); }

  /// Not for users.
  [[nodiscard]] detail::access_parts parts(detail::access_kind kind) const noexcept {
    // Without a buffer it names something, which is not there: an error. An empty span names nothing.
    return {.bytes = state_ == nullptr ? sizeof(T) : state_->bytes,
            .element = &detail::element_tag<T>,
            .buffer = state_,
            .kind = kind};
  }

 private:
  friend class dataflow;
  explicit buffer(detail::buffer_state& made) noexcept : state_(&made) {}

  detail::buffer_state* state_ = nullptr;
};

/// The task reads this buffer: it runs when the buffer is written. The task that writes it may be created later.
template <class T>
[[nodiscard]] access in(const buffer<T>& read) noexcept {
  return access(read.parts(detail::access_kind::read));
}
/// The task writes this buffer. A buffer has one such task.
template <class T>
[[nodiscard]] access out(const buffer<T>& written) noexcept {
  return access(written.parts(detail::access_kind::write));
}
/// A buffer is written once, so it is not updated in place.
template <class T>
access inout(const buffer<T>&) = delete;
/// See inout().
template <class T>
access commutative(const buffer<T>&) = delete;

}  // namespace nearfork
