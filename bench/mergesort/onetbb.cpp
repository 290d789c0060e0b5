#include <oneapi/tbb/parallel_invoke.h>

#include "bench/mergesort/mergesort.hpp"

namespace mergesort {

void merge(numbers a, numbers b, numbers out) {
  if (out.size() <= merge_leaf) return merge_leaves(a, b, out);
  const merge_cut c = cut(a, b, out);
  tbb::parallel_invoke([&] { merge(c.a_low, c.b_low, c.out_low); }, [&] { merge(c.a_high, c.b_high, c.out_high); });
}

void sort(numbers data, numbers buffer, target into) {
  if (data.size() <= sort_leaf) return sort_leaves(data, buffer, into);
  const std::size_t half = data.size() / 2;
  tbb::parallel_invoke([&] { sort(data.first(half), buffer.first(half), other(into)); },
                       [&] { sort(data.subspan(half), buffer.subspan(half), other(into)); });
  const auto [from, to] = into == target::data ? std::pair(buffer, data) : std::pair(data, buffer);
  merge(from.first(half), from.subspan(half), to);
}

}  // namespace mergesort
