#include "tools/validation/cache_subject.hpp"

#include <cstdlib>
#include <memory>
#include <span>

#include <nearfork/error.hpp>

#include "tools/simulated/workload_programs.hpp"
#include "tools/workload_words.hpp"
#include "workloads/fft/fft.hpp"
#include "workloads/forks.hpp"
#include "workloads/input_numbers.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/mergesort/mergesort.hpp"

namespace nearfork::tools {
namespace {

using namespace workloads;

/// Memory whose first byte is the first one of every cache set, so that only offsets within it decide where lines go.
class arena {
 public:
  explicit arena(std::uint64_t bytes)
      : bytes_(
            static_cast<std::byte*>(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment))) {
    if (!bytes_) throw std::bad_alloc();
  }
  template <class T>
  [[nodiscard]] std::span<T> array(std::uint64_t from_byte, std::size_t count) const {
    return {reinterpret_cast<T*>(bytes_.get() + from_byte), count};
  }

 private:
  static constexpr std::size_t alignment = std::size_t{1} << 24;
  struct release {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  std::unique_ptr<std::byte, release> bytes_;
};

void run_leaves(const slab_tree& tree, const slab_task& task, const grid_program& program, const grid_sweep& sweep) {
  if (slab_tree::is_leaf(task)) return program.compute(sweep, task.first, task.last);
  for (unsigned i = 0; i < slab_tree::children(task); ++i) run_leaves(tree, tree.child(task, i), program, sweep);
}

void run_grid(const simulated_grid& grid, const size_values& size, std::uint64_t rounds) {
  const grid_program& program = *grid.program;
  const grid_extent extent = program.sizes.from(size).extent();
  const std::uint64_t buffer = whole_pages(extent.cells() * sizeof(double));
  const arena memory(2 * buffer);
  const auto first = memory.array<double>(0, extent.cells());
  const auto second = program.order == grid_order::two_buffers ? memory.array<double>(buffer, extent.cells()) : first;
  program.fill(extent, 1, {0, extent.slabs}, first.data());
  if (second.data() != first.data()) std::ranges::copy(first, second.begin());
  const slab_tree tree(grid.shape);
  const slab_range all = program.changes(extent, 0);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    grid_sweep sweep{i % 2 == 0 ? first.data() : second.data(), i % 2 == 0 ? second.data() : first.data(), extent, i};
    for (sweep.colour = 0; sweep.colour < (program.order == grid_order::red_black ? 2U : 1U); ++sweep.colour)
      run_leaves(tree, {all.first, all.last}, program, sweep);
  }
}

/// Each round sorts anew, so it begins by writing the keys.
void run_mergesort(const size_values& size, std::uint64_t rounds) {
  const std::size_t keys = size.at(0);
  const arena memory(2 * whole_pages(keys * sizeof(sort_key)));
  const auto own = memory.array<sort_key>(0, keys);
  const auto other = memory.array<sort_key>(whole_pages(keys * sizeof(sort_key)), keys);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    input_numbers numbers(1);
    for (sort_key& key : own) key = numbers.next() % (keys * 8);
    merge_sort(own, other, sorted_into::same, serial_fork{});
  }
}

void run_matmul(const size_values& size, std::uint64_t rounds) {
  const std::size_t n = size.at(0);
  const std::uint64_t matrix = whole_pages(n * n * sizeof(double));
  const arena memory(3 * matrix);
  for (const std::uint64_t which : {0U, 1U, 2U}) std::ranges::fill(memory.array<double>(which * matrix, n * n), 1.0);
  const matmul_task whole{memory.array<double>(0, 1).data(),
                          memory.array<double>(matrix, 1).data(),
                          memory.array<double>(2 * matrix, 1).data(),
                          n,
                          n,
                          n,
                          n};
  for (std::uint64_t i = 0; i < rounds; ++i) multiply(whole, serial_fork{});
}

void run_fft(const size_values& size, std::uint64_t rounds) {
  const std::size_t points = std::size_t{1} << size.at(0);
  const std::uint64_t array = whole_pages(points * sizeof(fft_point));
  const arena memory(3 * array);
  for (const std::uint64_t which : {0U, 1U, 2U})
    std::ranges::fill(memory.array<fft_point>(which * array, points), fft_point{1, 0});
  const fft_task whole{memory.array<fft_point>(0, 1).data(), memory.array<fft_point>(array, 1).data(),
                       memory.array<fft_point>(2 * array, 1).data(), points, 1};
  for (std::uint64_t i = 0; i < rounds; ++i) transform(whole, serial_fork{});
}

}  // namespace

void run_cache_subject(const std::string& name, const std::string& size_text, std::uint64_t rounds) {
  const workload& what = find_workload(name);
  const size_values size = size_of_workload(what.name, what.sizes, size_text);
  if (const auto grid = find_simulated_grid(name)) return run_grid(*grid, size, rounds);
  if (name == "mergesort") return run_mergesort(size, rounds);
  if (name == "matmul") return run_matmul(size, rounds);
  if (name == "fft") return run_fft(size, rounds);
  throw error("cache_check: " + name + " is not laid out for cachegrind");
}

}  // namespace nearfork::tools
