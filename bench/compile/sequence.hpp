#pragma once

// Functions on sequences over the layer's primitives, of the kind that libraries for parallel algorithms have. The
// layer is found by the compiler's include path: one folder for each library.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <layer.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace sequence {

/// {f(0), ..., f(count - 1)}.
template <class F>
auto tabulate(std::size_t count, const F& f) {
  std::vector<std::remove_cvref_t<decltype(f(std::size_t{0}))>> made(count);
  layer::loop(count, [&](auto i) { made[i] = f(i); });
  return made;
}

template <class T, class F>
auto map(const std::vector<T>& values, const F& f) {
  return tabulate(values.size(), [&](auto i) { return f(values[i]); });
}

template <class T>
T sum(const std::vector<T>& values) {
  return layer::reduce(values.size(), T{}, [&](auto i) { return values[i]; }, std::plus<>());
}

/// The sum of f(0), ..., f(count - 1).
template <class F>
auto sum_of(std::size_t count, const F& f) {
  using value = std::remove_cvref_t<decltype(f(std::size_t{0}))>;
  return layer::reduce(count, value{}, [&](auto i) { return f(i); }, [](auto a, auto b) { return a + b; });
}

template <class F>
std::size_t count_of(std::size_t count, const F& f) {
  return sum_of(count, [&](auto i) { return f(i) ? std::size_t{1} : std::size_t{0}; });
}

/// The values of those indices below `count` that `keep` keeps, in order.
template <class Keep, class Value>
auto pack(std::size_t count, const Keep& keep, const Value& value) {
  auto places = tabulate(count, [&](auto i) { return keep(i) ? std::size_t{1} : std::size_t{0}; });
  const auto total = layer::scan(places, std::size_t{0}, [](auto a, auto b) { return a + b; });
  std::vector<std::remove_cvref_t<decltype(value(std::size_t{0}))>> packed(total);
  layer::loop(count, [&](auto i) {
    if (keep(i)) packed[places[i]] = value(i);
  });
  return packed;
}

template <class T, class Keep>
auto filter(const std::vector<T>& values, const Keep& keep) {
  return pack(values.size(), [&](auto i) { return keep(values[i]); }, [&](auto i) { return values[i]; });
}

/// All sequences one after the other.
template <class T>
auto flatten(const std::vector<std::vector<T>>& parts) {
  auto starts = map(parts, [](const auto& part) { return part.size(); });
  const auto total = layer::scan(starts, std::size_t{0}, [](auto a, auto b) { return a + b; });
  std::vector<T> all(total);
  layer::loop(parts.size(),
              [&](auto p) { layer::loop(parts[p].size(), [&](auto i) { all[starts[p] + i] = parts[p][i]; }); });
  return all;
}

template <class T, class Less = std::less<>>
auto sorted(std::vector<T> values, const Less& less = {}) {
  layer::sort(values, less);
  return values;
}

/// A number for each index that looks random (splitmix64).
inline std::uint64_t hash(std::uint64_t index) {
  std::uint64_t x = index + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace sequence
