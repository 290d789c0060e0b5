// A dataflow task whose callable takes task_data: with any number of accesses, which lie behind the task in its block.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/dataflow/task_data.hpp>
#include <nearfork/detail/dataflow/dataflow_argument.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/dataflow/typed_task.hpp>

namespace nearfork::detail {

template <class F>
concept takes_task_data = has_one_call<F> && std::is_invocable_v<F&, task_data>;

/// A block has room for a power of two of accesses: so it has one of few sizes, each of which is a kind of task.
inline constexpr std::size_t most_listed_accesses = std::size_t{1} << 16;
[[nodiscard]] constexpr std::size_t listed_kind(std::size_t accesses) noexcept {
  return accesses <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(accesses - 1));
}
/// Throws nearfork::error.
[[noreturn]] void refuse_many_accesses(std::size_t accesses, const call_site& where);

template <class F>
class listed_dataflow_task final : public task_with_callable<F> {
 public:
  /// The block must have block_bytes().
  template <class From>
  listed_dataflow_task(From&& f, std::span<const access> accesses, const call_site& at)
      : task_with_callable<F>(kinds[listed_kind(accesses.size())], std::forward<From>(f), at),
        accesses_(accesses.size()) {
    dataflow_argument* argument = arguments();
    const void** element = elements();
    for (const access& each : accesses) {
      std::construct_at(argument++, dataflow_argument::of(each.parts()));
      std::construct_at(element++, each.parts().pieces == 1 ? each.parts().element : nullptr);
    }
  }

  /// At most most_listed_accesses.
  [[nodiscard]] static std::size_t block_bytes(std::size_t accesses) noexcept {
    return kinds[listed_kind(accesses)].bytes;
  }

 private:
  [[nodiscard]] dataflow_argument* arguments() noexcept { return reinterpret_cast<dataflow_argument*>(this + 1); }
  [[nodiscard]] const void** elements() noexcept { return reinterpret_cast<const void**>(arguments() + accesses_); }

  static void call_task(dataflow_task& self) {
    auto& me = static_cast<listed_dataflow_task&>(self);
    static_cast<void>(me.f_(task_data({me.arguments(), me.accesses_}, me.elements(), me.where())));
  }
  static std::span<dataflow_argument> arguments_of(dataflow_task& self) noexcept {
    auto& me = static_cast<listed_dataflow_task&>(self);
    return {me.arguments(), me.accesses_};
  }
  static constexpr std::size_t kinds_count = listed_kind(most_listed_accesses) + 1;
  NEARFORK_OWN_COPY static const std::array<dataflow_kind, kinds_count> kinds;

  std::size_t accesses_;
};
template <class F>
constinit const std::array<dataflow_kind, listed_dataflow_task<F>::kinds_count> listed_dataflow_task<F>::kinds = [] {
  static_assert(alignof(listed_dataflow_task) % alignof(dataflow_argument) == 0);
  std::array<dataflow_kind, kinds_count> made{};
  for (std::size_t i = 0; i < kinds_count; ++i)
    made[i] = {
        .call = &call_task,
        .drop = listed_dataflow_task::drop,
        .arguments = &arguments_of,
        .nested = nullptr,
        .bytes = sizeof(listed_dataflow_task) + (std::size_t{1} << i) * (sizeof(dataflow_argument) + sizeof(void*))};
  return made;
}();

}  // namespace nearfork::detail
