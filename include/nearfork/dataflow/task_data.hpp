#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/dataflow_argument.hpp>

namespace nearfork {

namespace detail {
enum class data_use : bool { read, write };
/// Throws nearfork::error: says why the task may not use its access number i so. `elements`: as task_data has them.
[[noreturn]] void refuse_use(std::span<const dataflow_argument> given, const void* const* elements, std::size_t i,
                             data_use use, const call_site& where);
}  // namespace detail

/// The data of a dataflow task, by number, for a callable that takes them as `nearfork::task_data` in place of spans:
/// the number of accesses may be one that the program computes, and a task may name a tile beside a buffer.
///
///     nearfork::dataflow graph;
///     std::vector<nearfork::buffer<double>> parts;
///     for (int i = 0; i < 10; ++i) {
///       parts.push_back(graph.buffer<double>(1));
///       graph.task({nearfork::out(parts.back())}, [i](std::span<double> to) { to[0] = i; });
///     }
///     double sum = 0;
///     std::vector<nearfork::access> reads{nearfork::inout(sum)};
///     for (const auto& part : parts) reads.push_back(nearfork::in(part));
///     graph.task(reads, [](nearfork::task_data data) {
///       for (std::size_t i = 1; i < data.size(); ++i) data.out<double>(0)[0] += data.in<double>(i)[0];
///     });
///     graph.sync();  // 45
///
/// Thread-safety: a value; use it while the task runs.
class task_data {
 public:
  /// Not for users.
  task_data(std::span<const detail::dataflow_argument> given, const void* const* elements,
            const call_site& where) noexcept
      : given_(given), elements_(elements), where_(where) {}

  /// How many accesses the task has.
  [[nodiscard]] std::size_t size() const noexcept { return given_.size(); }
  /// The elements of access number i, from 0 on in the order of the task's list. Of any access but a tile.
  /// Complexity: constant. Throws: nearfork::error, with the task's place in the program, if there is no such access,
  /// if its elements are of another type, and if it is a tile.
  template <class T>
  [[nodiscard]] std::span<const T> in(std::size_t i) const {
    return at<T>(i, detail::data_use::read);
  }
  /// The same to write them: of out(), inout() and commutative(), and of reduction() the task's own copy. Throws also:
  /// nearfork::error if the access is in() or peek().
  template <class T>
  [[nodiscard]] std::span<T> out(std::size_t i) const {
    static_assert(!std::is_const_v<T>, "elements that are written are not const; read them by in()");
    return at<T>(i, detail::data_use::write);
  }

 private:
  template <class T>
  [[nodiscard]] std::span<T> at(std::size_t i, detail::data_use use) const {
    if (i >= given_.size() || elements_[i] != &detail::element_tag<std::remove_cv_t<T>> ||
        (use == detail::data_use::write && !given_[i].writes)) [[unlikely]]
      detail::refuse_use(given_, elements_, i, use, where_);
    return {static_cast<T*>(given_[i].first()), given_[i].bytes / sizeof(T)};
  }

  std::span<const detail::dataflow_argument> given_;
  const void* const* elements_;  // element_tag of each access; nullptr: it is a tile
  call_site where_;
};

}  // namespace nearfork
