#pragma once

// The primitives that the kernels use, by nearfork. bench/compile/onetbb/layer.hpp has the same by oneTBB.
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <nearfork/algorithms/parallel_find.hpp>
#include <nearfork/algorithms/parallel_invoke.hpp>
#include <nearfork/algorithms/parallel_sort.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>
#include <nearfork/parallel_scan.hpp>

namespace layer {

template <class Body>
void loop(std::size_t count, const Body& body) {
  nearfork::parallel_for(std::size_t{0}, count, body);
}

/// op(... op(identity, value(0)) ..., value(count - 1)).
template <class T, class Value, class Op>
T reduce(std::size_t count, const T& identity, const Value& value, const Op& op) {
  return nearfork::parallel_reduce(std::size_t{0}, count, identity, value, op);
}

template <class F, class G>
void both(const F& f, const G& g) {
  nearfork::parallel_invoke(f, g);
}

template <class T, class Less>
void sort(std::vector<T>& values, const Less& less) {
  nearfork::parallel_sort(values.begin(), values.end(), less);
}

/// Replaces each value by the fold of those before it. Returns the fold of all.
template <class T, class Op>
T scan(std::vector<T>& values, const T& identity, const Op& op) {
  return nearfork::parallel_scan_exclusive(values.begin(), values.end(), values.begin(), identity, op);
}

/// The index of the first value that matches, or their number.
template <class T, class Matches>
std::size_t find(const std::vector<T>& values, const Matches& matches) {
  return static_cast<std::size_t>(nearfork::parallel_find_if(values.begin(), values.end(), matches) - values.begin());
}

}  // namespace layer
