#include "workloads/flow_programs/kmeans.hpp"

#include <algorithm>

#include "workloads/dataflow/patterns.hpp"
#include "workloads/flow_blocks/nearest_centre.hpp"
#include "workloads/flow_programs/flow_workload.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

/// Coordinates are whole numbers below this, so that sums are exact in any order, and those of 2^26 points fit.
constexpr std::uint64_t coordinate_bound = 64;
using sum = std::uint32_t;
static_assert(sizeof(sum) == sizeof(float), "the pattern counts sums as single precision");

struct kmeans_numbers {
  std::uint64_t blocks = 1, points = 1, dimensions = 1, clusters = 1, iterations = 1;

  [[nodiscard]] kmeans_size size() const noexcept {
    const auto narrow = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
    return {narrow(blocks), narrow(points), narrow(dimensions), narrow(clusters), narrow(iterations)};
  }
};

/// For each cluster the sums of coordinates; then for each cluster the number of points.
class cluster_sums {
 public:
  cluster_sums(const kmeans_size& size, sum* data) : size_(size), data_(data) {}

  [[nodiscard]] std::size_t length() const noexcept { return std::size_t{size_.clusters} * (size_.dimensions + 1); }
  void clear() { std::fill(data_, data_ + length(), sum{0}); }
  void add(const sum* others) {
    for (std::size_t i = 0; i < length(); ++i) data_[i] += others[i];
  }
  void assign(const float* points, std::size_t count, const float* centres) {
    for (std::size_t i = 0; i < count; ++i, points += size_.dimensions) {
      const std::size_t cluster = nearest_centre(points, centres, size_.clusters, size_.dimensions);
      for (std::size_t d = 0; d < size_.dimensions; ++d)
        data_[cluster * size_.dimensions + d] += static_cast<sum>(points[d]);
      ++data_[std::size_t{size_.clusters} * size_.dimensions + cluster];
    }
  }
  /// A cluster without points begins anew.
  void find_centres(const std::vector<float>& first_centres, float* centres) const {
    for (std::size_t cluster = 0; cluster < size_.clusters; ++cluster)
      for (std::size_t d = 0; d < size_.dimensions; ++d) {
        const std::size_t i = cluster * size_.dimensions + d;
        const sum count = data_[std::size_t{size_.clusters} * size_.dimensions + cluster];
        centres[i] = count == 0 ? first_centres[i] : static_cast<float>(double{1} * data_[i] / count);
      }
  }

 private:
  const kmeans_size& size_;
  sum* data_;
};

void fill_coordinates(std::uint64_t seed, std::uint64_t block, std::span<float> coordinates) {
  input_numbers numbers(seed * 0x9e37'79b9'7f4a'7c15 + block);
  for (float& one : coordinates) one = static_cast<float>(numbers.below(coordinate_bound));
}

class kmeans_program final : public flow_program {
 public:
  kmeans_program(const kmeans_size& size, std::uint64_t seed)
      : flow_program(kmeans_pattern(size)),
        size_(size),
        seed_(seed),
        first_centres_(std::size_t{size.clusters} * size.dimensions) {
    fill_coordinates(seed, size.blocks, first_centres_);
    right_ = answer();
  }

  void fill(std::uint32_t block, std::byte* data) const override {
    fill_coordinates(seed_, block, {reinterpret_cast<float*>(data), block_floats()});
  }

  void compute(const flow_call& call) const override {
    if (call.step.kernel == flow_kernel::assign) assign(call);
    else reduce(call);
  }

  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    const std::span found(reinterpret_cast<const float*>(blocks.front()), right_.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!(found[i] == right_[i]))
        return "coordinate " + std::to_string(i) + " of the centres is " + std::to_string(found[i]) + ", should be " +
               std::to_string(right_[i]);
    return {};
  }

  void corrupt(std::uint32_t /*block*/, std::byte* data, std::uint64_t where) const override {
    reinterpret_cast<float*>(data)[where % right_.size()] += 1e-3F;
  }

 private:
  [[nodiscard]] std::size_t block_floats() const noexcept { return std::size_t{size_.block_points} * size_.dimensions; }

  /// The points are the first input, and handed on as they are.
  void assign(const flow_call& call) const {
    const auto* const points = call.inputs[0].as<const float>();
    for (const flow_item& to : call.outputs.first(call.outputs.size() - 1))
      std::copy(points, points + block_floats(), to.as<float>());
    cluster_sums sums(size_, call.outputs.back().as<sum>());
    sums.clear();
    sums.assign(points, size_.block_points, call.inputs[1].as<const float>());
  }

  /// The first such task has nothing to add up; the last ones of each step make centres of their sums.
  void reduce(const flow_call& call) const {
    auto* const centres = call.outputs.front().as<float>();
    if (call.inputs.empty()) {
      std::ranges::copy(first_centres_, centres);
      return;
    }
    std::vector<sum> room(first_centres_.size() + size_.clusters);
    cluster_sums sums(size_, room.data());
    for (const flow_item& from : call.inputs) sums.add(from.as<const sum>());
    if (call.outputs.front().part == centres_part) sums.find_centres(first_centres_, centres);
    else std::ranges::copy(room, call.outputs.front().as<sum>());
  }

  [[nodiscard]] std::vector<float> answer() const {
    std::vector<float> points(block_floats()), centres = first_centres_;
    std::vector<sum> room(first_centres_.size() + size_.clusters);
    for (std::uint32_t i = 0; i < size_.iterations; ++i) {
      cluster_sums sums(size_, room.data());
      sums.clear();
      for (std::uint32_t block = 0; block < size_.blocks; ++block) {
        fill_coordinates(seed_, block, points);
        sums.assign(points.data(), size_.block_points, centres.data());
      }
      sums.find_centres(first_centres_, centres.data());
    }
    return centres;
  }

  kmeans_size size_;
  std::uint64_t seed_;
  std::vector<float> first_centres_;
  std::vector<float> right_{};
};

}  // namespace

std::vector<workload> kmeans_workloads() {
  using size = kmeans_numbers;
  const size_table<size> table{{{&size::blocks, {"blocks", "blocks of points", 1, 1 << 20}},
                                {&size::points, {"points", "points of a block", 64, 1 << 24}},
                                {&size::dimensions, {"dimensions", "coordinates of a point", 1, 1 << 10}},
                                {&size::clusters, {"clusters", "centres", 1, 64}},
                                {&size::iterations, {"iterations", "moves of the centres", 1, 1'000'000}}},
                               {{"default", {64, 4'000, 10, 11, 10}},
                                {"small", {16, 500, 10, 11, 10}},
                                {"test", {11, 64, 3, 5, 4}},
                                {"drebes", {4'096, 10'000, 10, 11, 10}}}};
  return flow_workloads_of(
      {.name = "kmeans", .text = "clusters of points, with sums of eight added up at a time"}, table,
      [](const size& of, std::uint64_t seed) -> std::unique_ptr<flow_program> {
        return std::make_unique<kmeans_program>(of.size(), seed);
      },
      [](const size& of) -> flow_extent {
        const double blocks = static_cast<double>(of.blocks);
        const double sums = static_cast<double>(of.clusters * (of.dimensions + 1)) * sizeof(sum);
        return {.blocks = blocks,
                .block_bytes = static_cast<double>(of.points) * static_cast<double>(of.dimensions) * sizeof(float),
                .tasks = 2 + blocks * (1 + 8.0 / 7 * static_cast<double>(of.iterations)),
                .values_of_task = 2 + sums / 256};
      });
}

}  // namespace nearfork::workloads
