// The largest sum of a contiguous part: a reduction of records, for each of many rows.
#include <algorithm>
#include <sequence.hpp>

namespace {

template <class T>
struct part {
  T all{}, best{}, from_left{}, from_right{};
};

}  // namespace

int main() {
  const std::size_t rows = 30, length = 800;
  const auto value = [](auto row, auto i) { return static_cast<long>(sequence::hash(row * 800 + i) % 201) - 100; };
  const auto join = [](const auto& a, const auto& b) {
    return part<long>{a.all + b.all, std::max({a.best, b.best, a.from_right + b.from_left}),
                      std::max(a.from_left, a.all + b.from_left), std::max(b.from_right, b.all + a.from_right)};
  };
  const auto best = sequence::tabulate(rows, [&](auto row) {
    return layer::reduce(
               length, part<long>{},
               [&](auto i) {
                 const auto v = value(row, i), positive = std::max(v, 0L);
                 return part<long>{v, positive, positive, positive};
               },
               join)
        .best;
  });
  const auto wrong = sequence::count_of(rows, [&](auto row) {
    long highest = 0, here = 0;
    for (std::size_t i = 0; i < length; ++i) highest = std::max(highest, here = std::max(0L, here + value(row, i)));
    return highest != best[row];
  });
  return wrong == 0 ? 0 : 1;
}
