// How a callable is called, what its result is stored as, and when a copy may be called in its place.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#define NEARFORK_COLD __attribute__((noinline, cold))
#define NEARFORK_INLINE inline __attribute__((always_inline))

namespace nearfork::detail {

/// What fork_join() and similar functions accept as `F&&`: a callable without arguments. If it is passed as an rvalue,
/// it may be callable as an rvalue only (an operator() with &&).
template <class F>
concept task_callable = std::is_invocable_v<std::remove_reference_t<F>&> || std::is_invocable_v<F>;

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

/// True for closures. A class with a name is none: it may change `mutable` members in a const call, or compare its own
/// address.
template <class F>
consteval bool is_closure() {
  constexpr std::string_view name = __PRETTY_FUNCTION__;
#if defined(__clang__)
  return name.find("[F = (lambda at ") != name.npos;
#else
  return name.ends_with("<lambda()>]");
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

}  // namespace nearfork::detail
