// What one declared access of a dataflow task says, without its types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace nearfork::detail {

class buffer_state;
class stream_state;

enum class access_kind : std::uint8_t {
  read,         // beside other readers
  write,        // alone, in program order; also in place
  commutative,  // alone, in any order
  reduction,    // on a copy, which is folded into the original afterwards
};

/// No two graphs of a process have the same, also if one lies where another one was.
enum class graph_id : std::uint64_t {};

/// How the copies of a reduction begin and end. One object for each pair of types: its address tells reductions apart.
struct reduction_rule {
  void (*fill)(void* first, std::size_t bytes);
  void (*fold)(void* into, const void* from, std::size_t bytes);
  std::size_t alignment;  // of the elements
  bool is_plain;          // fold() takes a nanosecond an element, throws nothing, and calls nothing of the program
};

struct access_parts {
  std::byte* data = nullptr;
  std::size_t bytes = 0;          // of one piece
  std::size_t pieces = 1;         // 2-D tiles have several
  std::size_t stride_bytes = 0;   // from piece to piece; of a stream: what the task takes from it
  const void* element = nullptr;  // element_tag of the type
  const reduction_rule* rule = nullptr;
  buffer_state* buffer = nullptr;  // instead of data
  stream_state* stream = nullptr;  // instead of data
  access_kind kind = access_kind::read;
  bool weak = false;      // by nested tasks alone
  bool any_copy = false;  // of a reduction: also one to which others have added
};

/// Its address stands for the type of elements.
template <class T>
inline constexpr char element_tag = 0;

/// The value that changes nothing, for operators of the standard library, and for classes with a static identity().
template <class T, class Op>
struct identity_of {};
template <class T, class Op>
concept has_own_identity = requires { T{Op::identity()}; };
template <class T, class Op>
  requires has_own_identity<T, Op>
struct identity_of<T, Op> {
  static T value() { return Op::identity(); }
};
template <class T, class Op, int Value>
struct constant_identity {
  static T value() { return static_cast<T>(Value); }
};
template <class T, class U>
struct identity_of<T, std::plus<U>> : constant_identity<T, std::plus<U>, 0> {};
template <class T, class U>
struct identity_of<T, std::multiplies<U>> : constant_identity<T, std::multiplies<U>, 1> {};
template <class T, class U>
struct identity_of<T, std::bit_or<U>> : constant_identity<T, std::bit_or<U>, 0> {};
template <class T, class U>
struct identity_of<T, std::bit_xor<U>> : constant_identity<T, std::bit_xor<U>, 0> {};
template <class T, class U>
struct identity_of<T, std::logical_and<U>> : constant_identity<T, std::logical_and<U>, 1> {};
template <class T, class U>
struct identity_of<T, std::logical_or<U>> : constant_identity<T, std::logical_or<U>, 0> {};
template <class T, class U>
struct identity_of<T, std::bit_and<U>> {
  static T value() { return static_cast<T>(~T{}); }
};

template <class T, class Op>
concept reducible = std::is_trivially_copyable_v<T> && std::is_empty_v<Op> && std::is_default_constructible_v<Op> &&
                    std::is_invocable_r_v<T, Op, const T&, const T&> && requires { identity_of<T, Op>::value(); };
/// Each member of an aggregate would have to be 0 or 1, but a cast of 1 sets the first member alone.
template <class T, class Op>
concept knows_identity = has_own_identity<T, Op> || !std::is_aggregate_v<T>;

/// Of an operator of the standard library: it takes numbers, or what it is given.
template <class Op>
inline constexpr bool is_of_numbers = false;
template <template <class> class Op, class U>
inline constexpr bool is_of_numbers<Op<U>> = std::is_void_v<U> || std::is_arithmetic_v<U>;
/// Without an identity of its own, an operator that has one is of the standard library.
template <class T, class Op>
inline constexpr bool is_plain = std::is_arithmetic_v<T> && is_of_numbers<Op> && !has_own_identity<T, Op>;

template <class T, class Op>
struct typed_reduction {
  static void fill(void* first, std::size_t bytes) {
    std::uninitialized_fill_n(static_cast<T*>(first), bytes / sizeof(T), identity_of<T, Op>::value());
  }
  static void fold(void* into, const void* from, std::size_t bytes) {
    auto* const to = static_cast<T*>(into);
    const auto* const of = static_cast<const T*>(from);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) to[i] = static_cast<T>(Op{}(std::as_const(to[i]), of[i]));
  }
};
template <class T, class Op>
inline constexpr reduction_rule reduction_of{&typed_reduction<T, Op>::fill, &typed_reduction<T, Op>::fold, alignof(T),
                                             is_plain<T, Op>};

}  // namespace nearfork::detail
