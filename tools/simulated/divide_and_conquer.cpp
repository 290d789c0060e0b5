// Divide and conquer over data: mergesort, matmul and fft. They are the recursions of their headers, with what each
// leaf touches in place of what it computes.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "tools/simulated/workload_programs.hpp"
#include "workloads/fft/fft.hpp"
#include "workloads/input_numbers.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/mergesort/mergesort.hpp"

namespace nearfork::tools {
namespace {

using namespace workloads;

constexpr std::uint64_t line_bytes = 64;

tree_node second(tree_node first) {
  return tree_node{index_of(first) + 1};
}

/// Sorts real keys, because the keys decide where a merge is divided.
class sort_sketch {
 public:
  sort_sketch(graph_sketch& into, const simulation_input& input, std::span<sort_key> keys, std::span<sort_key> other)
      : into_(into), input_(input), keys_(keys), other_(other) {}

  /// As merge_sort(), for keys [first, last) of both arrays.
  void sort(tree_node here, std::size_t first, std::size_t last, sorted_into where) {
    if (last - first <= sort_leaf) return sort_leaf_at(here, first, last, where);
    const std::size_t half = first + (last - first) / 2;
    const auto from = where == sorted_into::same ? sorted_into::other : sorted_into::same;
    const tree_node child = into_.fork(here, 2);
    sort(child, first, half, from);
    sort(second(child), half, last, from);
    merge(here, from, {first, half}, {half, last}, first);
  }

 private:
  struct run {
    std::size_t first;
    std::size_t last;
    [[nodiscard]] std::size_t size() const noexcept { return last - first; }
  };
  [[nodiscard]] std::span<sort_key> array(sorted_into which) const noexcept {
    return which == sorted_into::same ? keys_ : other_;
  }
  [[nodiscard]] std::uint64_t address(sorted_into which, std::size_t key) const noexcept {
    return (which == sorted_into::same ? 0 : whole_pages(keys_.size_bytes())) + key * sizeof(sort_key);
  }
  void add(sorted_into which, std::size_t first, std::size_t last, access_kind kind) {
    if (last > first) found_.push_back({address(which, first), (last - first) * sizeof(sort_key), kind});
  }
  void finish(tree_node here, double operations, double wrong_guesses) {
    into_.work(here, time_of(operations, input_, loop_kind::scalar, wrong_guesses), found_);
    found_.clear();
  }

  void sort_leaf_at(tree_node here, std::size_t first, std::size_t last, sorted_into where) {
    std::ranges::sort(keys_.subspan(first, last - first));
    add(sorted_into::same, first, last, access_kind::write);
    if (where == sorted_into::other) {
      std::ranges::copy(keys_.subspan(first, last - first), other_.subspan(first).begin());
      add(sorted_into::same, first, last, access_kind::read);
      add(sorted_into::other, first, last, access_kind::write);
    }
    // For each of the n log2 n steps: a load, a comparison, a step and, every second time, a swap. The branch cannot be
    // predicted.
    const double compared = static_cast<double>(last - first) * static_cast<double>(std::bit_width(last - first));
    finish(here, 5 * compared, compared / 2);
  }

  /// As merge_runs(), from `from` to the other array, beginning at `out`.
  void merge(tree_node here, sorted_into from, run a, run b, std::size_t out) {
    if (a.size() + b.size() <= merge_leaf) return merge_leaf_at(here, from, a, b, out);
    if (a.size() < b.size()) std::swap(a, b);
    const std::size_t middle = a.first + a.size() / 2;
    const std::size_t cut = lower_bound(from, b, array(from)[middle], middle);
    finish(here, 0, 0);
    const tree_node child = into_.fork(here, 2);
    merge(child, from, {a.first, middle}, {b.first, cut}, out);
    merge(second(child), from, {middle, a.last}, {cut, b.last}, out + (middle - a.first) + (cut - b.first));
  }

  std::size_t lower_bound(sorted_into from, run in, sort_key key, std::size_t at) {
    add(from, at, at + 1, access_kind::read);
    while (in.size() > 0) {
      const std::size_t middle = in.first + in.size() / 2;
      add(from, middle, middle + 1, access_kind::read);
      if (array(from)[middle] < key) in.first = middle + 1;
      else in.last = middle;
    }
    return in.first;
  }

  /// One line of the output at a time: first what it takes of both runs, then the line.
  void merge_leaf_at(tree_node here, sorted_into from, run a, run b, std::size_t out) {
    const auto to = from == sorted_into::same ? sorted_into::other : sorted_into::same;
    const std::span<const sort_key> in = array(from);
    const std::size_t end = out + a.size() + b.size();
    const double keys = static_cast<double>(end - out);
    constexpr std::size_t keys_of_line = line_bytes / sizeof(sort_key);
    while (out < end) {
      const std::size_t line_end = std::min(end, (out / keys_of_line + 1) * keys_of_line);
      const run a_before = a;
      const run b_before = b;
      const std::size_t begin = out;
      for (; out < line_end; ++out) {
        const bool from_a = b.size() == 0 || (a.size() > 0 && in[a.first] <= in[b.first]);
        array(to)[out] = in[from_a ? a.first++ : b.first++];
      }
      add(from, a_before.first, a.first, access_kind::read);
      add(from, b_before.first, b.first, access_kind::read);
      add(to, begin, line_end, access_kind::write);
    }
    finish(here, 6 * keys,
           keys / 2);  // two loads, a comparison, two steps and a store; the branch cannot be predicted
  }

  graph_sketch& into_;
  const simulation_input& input_;
  std::span<sort_key> keys_;
  std::span<sort_key> other_;
  std::vector<data_access> found_{};
};

/// Blocks of three matrices, by their first row and column.
struct product_sketch {
  struct block {
    std::size_t row = 0;
    std::size_t column = 0;
  };
  struct product {
    block a{};
    block b{};
    block c{};
    std::size_t rows;
    std::size_t columns;
    std::size_t inner;
  };
  graph_sketch& into;
  const simulation_input& input;
  std::size_t n;
  std::vector<data_access> found{};

  [[nodiscard]] std::uint64_t address(unsigned matrix, const block& of, std::size_t row) const {
    return matrix * whole_pages(n * n * sizeof(double)) + ((of.row + row) * n + of.column) * sizeof(double);
  }
  /// As multiply().
  void multiply(tree_node here, const product& task) {
    if (std::max({task.rows, task.columns, task.inner}) <= matmul_task::leaf) return multiply_block(here, task);
    product first = task;
    product other = task;
    if (task.rows >= std::max(task.columns, task.inner)) {
      first.rows /= 2;
      other.rows -= first.rows;
      other.a.row += first.rows;
      other.c.row += first.rows;
    } else if (task.columns >= task.inner) {
      first.columns /= 2;
      other.columns -= first.columns;
      other.b.column += first.columns;
      other.c.column += first.columns;
    } else {
      first.inner /= 2;
      other.inner -= first.inner;
      other.a.column += first.inner;
      other.b.row += first.inner;
      multiply(here, first);
      multiply(here, other);
      return;
    }
    const tree_node child = into.fork(here, 2);
    multiply(child, first);
    multiply(second(child), other);
  }
  /// Four products at a time: five loads, eight operations, a store.
  static constexpr double products_at_a_time = 4;
  static constexpr double operations_of_product = 14 / products_at_a_time;
  /// The block of B stays in a cache while the rows of A and C pass.
  void multiply_block(tree_node here, const product& task) {
    found.clear();
    for (std::size_t k = 0; k < task.inner; ++k)
      found.push_back({address(1, task.b, k), task.columns * sizeof(double), access_kind::read});
    for (std::size_t i = 0; i < task.rows; ++i) {
      found.push_back({address(0, task.a, i), task.inner * sizeof(double), access_kind::read});
      found.push_back({address(2, task.c, i), task.columns * sizeof(double), access_kind::write});
    }
    const double products = static_cast<double>(task.rows * task.columns * task.inner);
    // Each row of C is a loop with an unpredictable end.
    const double loops = static_cast<double>(task.rows) * static_cast<double>(task.inner) / products_at_a_time;
    into.work(here, time_of(operations_of_product * products, input, loop_kind::vector, loops), found);
  }
};

/// Transforms every stride-th point from `in` on, to the points from `out` on.
struct fourier_sketch {
  struct part {
    std::size_t in;
    std::size_t out;
    std::size_t points;
    std::size_t stride;
    [[nodiscard]] part even() const { return {in, out, points / 2, stride * 2}; }
    [[nodiscard]] part odd() const { return {in + stride, out + points / 2, points / 2, stride * 2}; }
  };
  enum class array : std::uint8_t { in, out, roots };
  graph_sketch& into;
  const simulation_input& input;
  std::size_t all;
  std::vector<data_access> found{};

  static constexpr std::size_t points_of_line = line_bytes / sizeof(fft_point);
  static constexpr double operations_of_butterfly = 6 + 10 + 4;  // loads, arithmetic, stores
  /// A leaf's recursion goes down to single points. Each call stores the five values of two parts and loads them again,
  /// computes six of them, and saves and restores what its caller keeps in registers.
  static constexpr double operations_of_call = 10 + 10 + 6 + 8;

  void add(array which, std::size_t first, std::size_t points, access_kind kind,
           sim::access_order order = sim::access_order::sweep) {
    const std::uint64_t before = static_cast<std::uint64_t>(which) * whole_pages(all * sizeof(fft_point));
    found.push_back({before + first * sizeof(fft_point), points * sizeof(fft_point), kind, order});
  }
  /// Points that lie apart by whole lines and more. Their lines are in a few sets of the caches, too.
  [[nodiscard]] static sim::access_order order_of(std::size_t stride) {
    return stride > points_of_line ? sim::access_order::scattered : sim::access_order::sweep;
  }
  void finish(tree_node here, double butterflies, double calls) {
    into.work(here, time_of(operations_of_butterfly * butterflies + operations_of_call * calls, input), found);
    found.clear();
  }
  /// As transform().
  void transform(tree_node here, const part& task) {
    if (task.points <= fft_task::leaf) {
      transform_leaf(task);
      const auto points = static_cast<double>(task.points);
      const auto levels = static_cast<double>(std::bit_width(task.points) - 1);
      return finish(here, points * levels / 2, 2 * points - 1);
    }
    const tree_node child = into.fork(here, 2);
    transform(child, task.even());
    transform(second(child), task.odd());
    combine(here, task, 0, task.points / 2);
  }
  void transform_leaf(const part& task) {
    if (task.points == 1) {
      add(array::in, task.in, 1, access_kind::read, order_of(task.stride));
      add(array::out, task.out, 1, access_kind::write);
      return;
    }
    transform_leaf(task.even());
    transform_leaf(task.odd());
    butterflies(task, 0, task.points / 2);
  }
  void combine(tree_node here, const part& task, std::size_t first, std::size_t last) {
    if (last - first <= fft_task::butterflies_leaf) {
      butterflies(task, first, last);
      return finish(here, static_cast<double>(last - first), 0);
    }
    const std::size_t middle = first + (last - first) / 2;
    const tree_node child = into.fork(here, 2);
    combine(child, task, first, middle);
    combine(second(child), task, middle, last);
  }
  /// A line's worth at a time. If the roots are far apart, each is touched between the lines of the output that use it.
  void butterflies(const part& task, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; k += points_of_line) {
      const std::size_t count = std::min(points_of_line, last - k);
      const std::size_t together = task.stride == 1 ? count : 1;
      for (std::size_t i = k; i < k + count; i += together) {
        add(array::roots, i * task.stride, together, access_kind::read, order_of(task.stride));
        add(array::out, task.out + task.points / 2 + i, together, access_kind::write);
        add(array::out, task.out + i, together, access_kind::write);
      }
    }
  }
};

}  // namespace

sim::program simulate_mergesort(const simulation_input& input) {
  std::vector<sort_key> keys(input.size.at(0));
  input_numbers numbers(input.seed);
  for (sort_key& key : keys) key = numbers.next() % (keys.size() * 8);  // as mergesort_instance::reset()
  std::vector<sort_key> other(keys.size());
  graph_sketch sketch(most_simulated_tasks);
  sort_sketch(sketch, input, keys, other).sort(tree_root, 0, keys.size(), sorted_into::same);
  const std::uint64_t bytes = keys.size() * sizeof(sort_key);
  return program_of("mergesort", 2 * bytes, std::move(sketch), arrays_of(2, bytes));
}

sim::program simulate_matmul(const simulation_input& input) {
  const std::size_t n = input.size.at(0);
  graph_sketch sketch(most_simulated_tasks);
  product_sketch{sketch, input, n}.multiply(tree_root, {.rows = n, .columns = n, .inner = n});
  return program_of("matmul", 3 * n * n * sizeof(double), std::move(sketch), arrays_of(3, n * n * sizeof(double)));
}

sim::program simulate_fft(const simulation_input& input) {
  const std::size_t points = std::size_t{1} << input.size.at(0);
  graph_sketch sketch(most_simulated_tasks);
  fourier_sketch{sketch, input, points}.transform(tree_root, {0, 0, points, 1});
  const std::uint64_t bytes = points * sizeof(fft_point);
  std::vector<sim::data_array> arrays = arrays_of(2, bytes);
  arrays.push_back({2 * whole_pages(bytes), bytes / 2});  // the roots of unity
  return program_of("fft", 2 * bytes, std::move(sketch), std::move(arrays));
}

}  // namespace nearfork::tools
