// How a callable is called, what its result is stored as, and when a copy may be called in its place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#define NEARFORK_COLD __attribute__((__noinline__, __cold__))
#define NEARFORK_INLINE inline __attribute__((__always_inline__))

namespace nearfork::detail {

/// What fork_join() and similar functions accept as `F&&`: a callable without arguments. If it is passed as an rvalue,
/// it may be callable as an rvalue only (an operator() with &&).
template <class F>
concept task_callable = std::is_invocable_v<std::remove_reference_t<F>&> || std::is_invocable_v<F>;

/// True if F can be called as an rvalue only, and so once: the call may give away what F holds.
template <class F>
concept only_callable_as_rvalue = std::is_invocable_v<F> && !std::is_invocable_v<F&>;

/// Calls f, as an rvalue if it can only be called so. That is right because each callable is called once.
template <class F>
NEARFORK_INLINE decltype(auto) call(F& f) {
  if constexpr (std::is_invocable_v<F&>) return f();
  else return std::move(f)();
}

template <class F>
using result_of = decltype(call(std::declval<F&>()));

/// What the result of a call is stored as: its value, a pointer for a reference, std::monostate for void.
template <class R>
using value_of = std::conditional_t<std::is_void_v<R>, std::monostate,
                                    std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, R>>;

template <class F>
NEARFORK_INLINE value_of<result_of<F>> call_for_value(F& f) {
  if constexpr (std::is_void_v<result_of<F>>) {
    call(f);
    return {};
  } else if constexpr (std::is_reference_v<result_of<F>>) {
    auto&& result = call(f);
    return std::addressof(result);
  } else {
    return call(f);
  }
}

/// A value as the program gets it: a reference for a pointer that stands for one.
template <class R>
NEARFORK_INLINE decltype(auto) unwrap(value_of<R>&& value) {
  if constexpr (std::is_reference_v<R>) return static_cast<R>(*value);
  else return std::move(value);
}

/// What is kept of a result until the program takes it: a const value could not be moved.
template <class R>
using kept_value_of = std::remove_cv_t<value_of<R>>;

/// Refuses results that cannot be moved. The callable runs on the stack of a worker, which returns to the caller's
/// stack by a switch. So nothing there can make the result where the caller wants it, as a plain call does.
template <class... Results>
consteval void require_movable_results() {
  static_assert((std::is_move_constructible_v<kept_value_of<Results>> && ...),
                "the callable may run on another stack, and its result is moved to the caller: return something that "
                "can be moved or copied, such as std::unique_ptr, or fill an object of the caller's");
}

/// How a fork returns the result of one call.
template <class R>
using element_of = std::conditional_t<std::is_reference_v<R>, R, value_of<R>>;

/// Converts to what `call` returns, which is made where the conversion's result is wanted.
template <class Call>
struct made_in_place {
  using value = decltype(std::declval<const Call&>()());
  const Call& call;
  explicit NEARFORK_INLINE made_in_place(const Call& of) noexcept : call(of) {}
  made_in_place(const made_in_place&) = delete;
  made_in_place& operator=(const made_in_place&) = delete;
  // Implicit: a tuple shall take it for its element. NOLINTNEXTLINE(google-explicit-constructor)
  NEARFORK_INLINE operator value() && { return call(); }
};
/// True if R can be made so: not if R would take anything for its constructor's argument.
struct unlike_anything {
  unlike_anything(const unlike_anything&) = delete;
  unlike_anything& operator=(const unlike_anything&) = delete;
};
template <class R>
inline constexpr bool can_be_made_in_place = std::is_object_v<R> && !std::is_const_v<R> && !std::is_volatile_v<R> &&
                                             !std::is_constructible_v<R, unlike_anything>;

/// What a fork's tuple takes for its last element, which `call` returns: made_in_place if the value can be made in
/// the tuple. The moves of the `Others` must not throw: a tuple may move them before it makes this one.
template <class R, class... Others, class Call>
NEARFORK_INLINE decltype(auto) last_element_from(const Call& call) {
  if constexpr (std::is_reference_v<R>) return unwrap<R>(call());
  else if constexpr (can_be_made_in_place<R> && (std::is_nothrow_move_constructible_v<Others> && ...))
    return made_in_place<Call>(call);
  else return call();
}

/// How the compiler writes F. Its length is that of the array: where templates nest deeply, names have 300,000
/// characters, and a constant expression may not walk through so many. `auto`: gcc would explain the alias behind F.
template <class F>
consteval auto text_with_name_of() {
  return std::string_view(__PRETTY_FUNCTION__, sizeof __PRETTY_FUNCTION__ - 1);
}

/// True for closures. A class with a name is none: it may change `mutable` members in a const call, or compare its own
/// address. Nor is a closure with 65,536 characters of parameters.
template <class F>
consteval bool is_closure() {
  constexpr std::string_view text = text_with_name_of<F>();
#if defined(__clang__)
  constexpr std::size_t name = text_with_name_of<int>().rfind("int");
  return text.substr(name).starts_with("(lambda at ");
#else
  // "[with F = main()::<lambda(int)>]"; a class of a closure has something behind that.
  constexpr std::string_view head = "<lambda", tail = ")>]";
  constexpr std::size_t longest = 65'536;
  if (!text.ends_with(tail)) return false;
  const std::size_t end = text.size() - tail.size();
  int depth = 1;
  for (std::size_t back = 1; back <= std::min(end, longest); ++back) {
    const std::size_t at = end - back;
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return text.substr(0, at).ends_with(head);
  }
  return false;
#endif
}

template <class Call>
inline constexpr bool is_const_call = false;
template <class R, class F>
inline constexpr bool is_const_call<R (F::*)() const> = true;
template <class R, class F>
inline constexpr bool is_const_call<R (F::*)() const noexcept> = true;

/// True if F has one operator(), and it is const. False for a closure that is `mutable` or generic.
template <class F>
inline constexpr bool has_const_call = false;
template <class F>
  requires requires { &F::operator(); }
inline constexpr bool has_const_call<F> = is_const_call<decltype(&F::operator())>;

/// True if F has at most `bytes` and a copy may be called in place of the original. The program cannot tell the
/// difference, because the call changes neither of them.
template <class F>
consteval bool copy_stands_for(std::size_t bytes) {
  using bare = std::remove_const_t<F>;
  if constexpr (std::is_trivially_copyable_v<bare> && std::is_copy_constructible_v<bare> && has_const_call<bare>)
    return sizeof(bare) <= bytes && is_closure<bare>();
  else return false;
}

/// The same for calls with arguments. A closure has one operator(), so who can call it as const changes nothing. Large
/// ones, too: a loop makes one copy and calls it many times (a million chars, 88 bytes of numbers captured: 1430 us by
/// gcc and 1260 by clang without a copy; 270 and 44 with one).
template <class F, class... Args>
consteval bool copy_stands_for_calls() {
  using bare = std::remove_const_t<F>;
  constexpr std::size_t most_bytes = 256;
  if constexpr (std::is_pointer_v<bare>) return true;
  else if constexpr (std::is_trivially_copyable_v<bare> && std::is_copy_constructible_v<bare>)
    return sizeof(bare) <= most_bytes && is_closure<bare>() && std::is_invocable_v<const bare&, Args...>;
  else return false;
}
/// What a loop keeps of F while it calls it many times: a copy where that can stand for F, whose captures then stay in
/// registers although the body writes to memory (a million chars by parallel_transform: 900 us, 30 so); else a
/// reference.
template <class F, class... Args>
using kept_for_calls = std::conditional_t<copy_stands_for_calls<F, Args...>(), const std::remove_const_t<F>, F&>;
/// That, for a closure to capture, which would copy what a reference refers to.
template <class F, class... Args>
struct one_call {
  kept_for_calls<F, Args...> f;
};

}  // namespace nearfork::detail
