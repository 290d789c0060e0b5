// A dataflow task with its callable, and the spans that the callable takes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/dataflow/dataflow_argument.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>

namespace nearfork::detail {

/// What parameter i of a callable must be.
struct expected_element {
  const void* element;
  bool writable;
  std::size_t count;  // std::dynamic_extent: any
  std::size_t size;   // of an element
};

template <class Parameter>
inline constexpr bool is_span = false;
template <class T, std::size_t Count>
inline constexpr bool is_span<std::span<T, Count>> = true;

/// Without members if one is no span.
template <class... Parameters>
struct span_parameters {};
template <class... Spans>
  requires(is_span<Spans> && ...)
struct span_parameters<Spans...> {
  static constexpr std::size_t count = sizeof...(Spans);
  static constexpr std::array<expected_element, count> expected{
      expected_element{&element_tag<typename Spans::value_type>, !std::is_const_v<typename Spans::element_type>,
                       Spans::extent, sizeof(typename Spans::element_type)}...};

  template <class F>
  static void call(F& f, std::span<dataflow_argument> given) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      f(Spans(static_cast<typename Spans::pointer>(given[I].first()),
              given[I].bytes / sizeof(typename Spans::element_type))...);
    }(std::index_sequence_for<Spans...>());
  }
};

/// The parameters of a callable with one operator(), or of a function.
template <class Call>
struct parameters_of_call {};
template <class R, class... P>
struct parameters_of_call<R (*)(P...)> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class... P>
struct parameters_of_call<R (*)(P...) noexcept> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...)> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...) const> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...) noexcept> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...) const noexcept> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...)&> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...) const&> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...) & noexcept> : span_parameters<std::remove_cvref_t<P>...> {};
template <class R, class F, class... P>
struct parameters_of_call<R (F::*)(P...) const & noexcept> : span_parameters<std::remove_cvref_t<P>...> {};

template <class F>
struct parameters_of {};
template <class F>
  requires requires { &F::operator(); }
struct parameters_of<F> : parameters_of_call<decltype(&F::operator())> {};
template <class F>
  requires std::is_pointer_v<F>
struct parameters_of<F> : parameters_of_call<F> {};

/// An over-aligned callable, in memory of its own: the blocks of tasks have the alignment of malloc.
template <class F>
class callable_apart {
 public:
  template <class From>
  explicit callable_apart(std::in_place_t, From&& f) : kept_(std::make_unique<F>(std::forward<From>(f))) {}
  template <class... A>
    requires std::is_invocable_v<F&, A...>
  void operator()(A&&... with) {
    static_cast<void>((*kept_)(std::forward<A>(with)...));
  }
  void operator()()
    requires only_callable_as_rvalue<F>
  {
    static_cast<void>(std::move(*kept_)());
  }

 private:
  std::unique_ptr<F> kept_;
};
template <class F>
struct parameters_of<callable_apart<F>> : parameters_of<F> {};

template <class F>
concept takes_spans = requires { parameters_of<F>::expected; };

/// False for generic lambdas: to ask whether those can be called compiles their bodies.
template <class F>
inline constexpr bool has_one_call = std::is_pointer_v<F> || requires { &F::operator(); };
template <class F>
inline constexpr bool has_one_call<callable_apart<F>> = has_one_call<F>;

/// A task and its callable.
template <class F>
class task_with_callable : public dataflow_task {
 protected:
  template <class From>
  task_with_callable(const dataflow_kind& of, From&& f, const call_site& at)
      : dataflow_task(of, at), f_(std::forward<From>(f)) {}

  static void drop_callable(dataflow_task& self) noexcept {
    std::destroy_at(std::addressof(static_cast<task_with_callable&>(self).f_));
  }
  /// dataflow_kind::drop.
  static constexpr auto drop = std::is_trivially_destructible_v<F> ? nullptr : &drop_callable;

  F f_;
};

template <class F>
class plain_dataflow_task final : public task_with_callable<F> {
 public:
  template <class From>
  plain_dataflow_task(From&& f, const call_site& at) : task_with_callable<F>(kind_of_task, std::forward<From>(f), at) {}

 private:
  static void call_task(dataflow_task& self) { detail::call(static_cast<plain_dataflow_task&>(self).f_); }
  NEARFORK_OWN_COPY static const dataflow_kind kind_of_task;
};
template <class F>
const dataflow_kind plain_dataflow_task<F>::kind_of_task{.call = &call_task,
                                                         .drop = plain_dataflow_task::drop,
                                                         .arguments = nullptr,
                                                         .nested = nullptr,
                                                         .bytes = sizeof(plain_dataflow_task)};

template <class F>
class span_dataflow_task final : public task_with_callable<F> {
 public:
  using parameters = parameters_of<F>;

  template <class From>
  span_dataflow_task(From&& f, std::span<const access> accesses, const call_site& at)
      : task_with_callable<F>(kind_of_task, std::forward<From>(f), at) {
    for (std::size_t i = 0; i < parameters::count; ++i) arguments_[i] = dataflow_argument::of(accesses[i].parts());
  }

 private:
  static void call_task(dataflow_task& self) {
    auto& me = static_cast<span_dataflow_task&>(self);
    parameters::call(me.f_, me.arguments_);
  }
  static std::span<dataflow_argument> arguments_of(dataflow_task& self) noexcept {
    return static_cast<span_dataflow_task&>(self).arguments_;
  }
  NEARFORK_OWN_COPY static const dataflow_kind kind_of_task;

  std::array<dataflow_argument, parameters::count> arguments_;
};
template <class F>
const dataflow_kind span_dataflow_task<F>::kind_of_task{.call = &call_task,
                                                        .drop = span_dataflow_task::drop,
                                                        .arguments = &arguments_of,
                                                        .nested = nullptr,
                                                        .bytes = sizeof(span_dataflow_task)};

}  // namespace nearfork::detail
