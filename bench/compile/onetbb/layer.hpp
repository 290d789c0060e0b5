#pragma once

// The primitives that the kernels use, by oneTBB. bench/compile/nearfork/layer.hpp has the same by nearfork.
#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

namespace layer {

template <class Body>
void loop(std::size_t count, const Body& body) {
  tbb::parallel_for(std::size_t{0}, count, body);
}

/// op(... op(identity, value(0)) ..., value(count - 1)).
template <class T, class Value, class Op>
T reduce(std::size_t count, const T& identity, const Value& value, const Op& op) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count), identity,
      [&](const auto& piece, T folded) -> T {
        for (std::size_t i = piece.begin(); i != piece.end(); ++i) folded = op(std::move(folded), value(i));
        return folded;
      },
      op);
}

template <class F, class G>
void both(const F& f, const G& g) {
  tbb::parallel_invoke(f, g);
}

template <class T, class Less>
void sort(std::vector<T>& values, const Less& less) {
  tbb::parallel_sort(values.begin(), values.end(), less);
}

/// Replaces each value by the fold of those before it. Returns the fold of all.
template <class T, class Op>
T scan(std::vector<T>& values, const T& identity, const Op& op) {
  return tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, values.size()), identity,
      [&](const auto& piece, T folded, bool last_pass) -> T {
        for (std::size_t i = piece.begin(); i != piece.end(); ++i) {
          T next = op(folded, values[i]);
          if (last_pass) values[i] = std::move(folded);
          folded = std::move(next);
        }
        return folded;
      },
      op);
}

/// The index of the first value that matches, or their number.
template <class T, class Matches>
std::size_t find(const std::vector<T>& values, const Matches& matches) {
  std::atomic<std::size_t> first = values.size();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, values.size()), [&](const auto& piece) {
    for (std::size_t i = piece.begin(); i < piece.end() && i < first; ++i) {
      if (!matches(values[i])) continue;
      std::size_t known = first;
      while (i < known && !first.compare_exchange_weak(known, i)) continue;
      return;
    }
  });
  return first;
}

}  // namespace layer
