#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>
#include <vector>

#include "workloads/dataflow/patterns.hpp"

namespace nearfork::workloads {
namespace {

flow_step copy_in(std::uint32_t block, std::uint64_t bytes) {
  return {.kernel = flow_kernel::copy_in,
          .block = block,
          .step = 0,
          .operations = static_cast<double>(bytes) / 4,
          .is_vector = true,
          .creator = 0,
          .initial_bytes = bytes,
          .final_bytes = 0};
}

flow_step copy_out(std::uint32_t block, std::uint32_t step, std::uint64_t bytes) {
  return {.kernel = flow_kernel::copy_out,
          .block = block,
          .step = step,
          .operations = static_cast<double>(bytes) / 4,
          .is_vector = true,
          .creator = 0,
          .initial_bytes = 0,
          .final_bytes = bytes};
}

flow_step computing(flow_kernel kernel, std::uint32_t block, std::uint32_t step, double operations) {
  flow_step made;
  made.kernel = kernel;
  made.block = block;
  made.step = step;
  made.operations = operations;
  return made;
}

}  // namespace

flow_pattern bitonic_pattern(std::uint32_t blocks, std::uint32_t block_elements) {
  if (!std::has_single_bit(blocks))
    throw std::invalid_argument("a bitonic network: a power of two of blocks is wanted");
  const std::uint64_t bytes = std::uint64_t{block_elements} * sizeof(std::uint64_t);
  flow_pattern made(blocks, bytes, 1);
  std::vector<std::uint32_t> latest;
  const double levels = std::bit_width(block_elements) - 1;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    // Each level of a merge sort: two loads, a comparison, a store and a step for each element.
    flow_step sort = computing(flow_kernel::sort, block, 0, 5.0 * levels * block_elements);
    sort.initial_bytes = bytes;
    latest.push_back(made.add_value(made.add(sort, {}), block, bytes));
  }
  std::uint32_t step = 0;
  for (std::uint32_t run = 2; run <= blocks; run *= 2)
    for (std::uint32_t apart = run / 2; apart > 0; apart /= 2) {
      ++step;
      for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t other = block ^ apart;
        if (other < block) continue;
        const std::uint32_t task = made.add(computing(flow_kernel::merge, block, step, 5.0 * 2 * block_elements),
                                            {latest[block], latest[other]});
        const bool ascends = (block & run) == 0;
        const std::uint32_t smaller = ascends ? block : other;
        const std::uint32_t larger = ascends ? other : block;
        latest[smaller] = made.add_value(task, smaller, bytes);
        latest[larger] = made.add_value(task, larger, bytes);
      }
    }
  for (std::uint32_t block = 0; block < blocks; ++block) made.add(copy_out(block, step + 1, bytes), {latest[block]});
  return made;
}

flow_pattern kmeans_pattern(const kmeans_size& size) {
  const std::uint64_t bytes = std::uint64_t{size.block_points} * size.dimensions * sizeof(float);
  const std::uint64_t centre_bytes = std::uint64_t{size.clusters} * size.dimensions * sizeof(float);
  const std::uint64_t sum_bytes = centre_bytes + size.clusters * sizeof(float);
  constexpr std::size_t summed_at_once = 8;
  // For each point and cluster: a load, a subtraction, a multiplication and an addition in each dimension, and a
  // comparison; then the point is added to its cluster.
  const double each = size.clusters * (4.0 * size.dimensions + 1) + 3.0 * size.dimensions;
  flow_pattern made(size.blocks, bytes, 1);
  std::vector<std::uint32_t> points;
  const std::uint32_t first = made.add(computing(flow_kernel::reduce, 0, 0, size.clusters * size.dimensions), {});
  std::uint32_t centres = made.add_value(first, 0, centre_bytes, flow_place::apart, centres_part);
  for (std::uint32_t block = 0; block < size.blocks; ++block)
    points.push_back(made.add_value(made.add(copy_in(block, bytes), {}), block, bytes, flow_place::carried));
  for (std::uint32_t step = 1; step <= size.iterations; ++step) {
    std::vector<std::uint32_t> sums;
    for (std::uint32_t block = 0; block < size.blocks; ++block) {
      const std::uint32_t task =
          made.add(computing(flow_kernel::assign, block, step, each * size.block_points), {points[block], centres});
      if (step < size.iterations) points[block] = made.add_value(task, block, bytes, flow_place::carried);
      sums.push_back(made.add_value(task, block, sum_bytes, flow_place::apart));
    }
    do {
      std::vector<std::uint32_t> fewer;
      for (std::size_t i = 0; i < sums.size(); i += summed_at_once) {
        const std::uint64_t floats = sum_bytes / sizeof(float);
        const std::size_t count = std::min(summed_at_once, sums.size() - i);
        const std::uint32_t task = made.add(computing(flow_kernel::reduce, made.values()[sums[i]].block, step,
                                                      2.0 * static_cast<double>(count) * static_cast<double>(floats)),
                                            std::span(sums).subspan(i, count));
        const bool is_last = sums.size() <= summed_at_once;
        fewer.push_back(made.add_value(task, made.values()[sums[i]].block, is_last ? centre_bytes : sum_bytes,
                                       flow_place::apart, is_last ? centres_part : 0));
      }
      sums = std::move(fewer);
    } while (sums.size() > 1);
    centres = sums.front();
  }
  made.add(copy_out(0, size.iterations + 1, centre_bytes), {centres});
  return made;
}

}  // namespace nearfork::workloads
