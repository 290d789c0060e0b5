// Graphs that a seed determines, on every machine: all choices are made with whole numbers. Low node numbers are read
// most, so the pages of hot nodes are neighbours, as crawls of real graphs have it.
#pragma once

#include <bit>
#include <cstdint>

#include "workloads/graphs/edge_list.hpp"
#include "workloads/numbers_by_index.hpp"

namespace nearfork::workloads {

/// Draws numbers in [0, count): r with a probability in proportion to 1 / (r + 1) (Zipf's law, s = 1).
/// Octaves [2^k, 2^(k+1)) of r + 1 are equally likely; inside one, a number n is drawn evenly and kept with probability
/// 2^k / n. So each n is kept with a probability in proportion to 1 / n, without a logarithm, which differs between C
/// libraries. Takes 1.4 rounds on average, at most 2.8.
class zipf_numbers {
 public:
  explicit constexpr zipf_numbers(std::uint64_t count) noexcept
      : count_(count), octaves_(static_cast<unsigned>(std::bit_width(count))) {}

  [[nodiscard]] constexpr std::uint64_t draw(number_stream& from) const noexcept {
    for (;;) {
      const std::uint64_t low = std::uint64_t{1} << from.below(octaves_);
      const std::uint64_t number = low + from.below(low);
      if (number <= count_ && from.below(number) < low) return number - 1;
    }
  }

 private:
  std::uint64_t count_;
  unsigned octaves_;
};

/// Each node reads `least` to `most` nodes, evenly distributed, which are drawn by Zipf's law.
struct zipf_graph {
  std::uint64_t nodes;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t seed;

  template <class Visit>
  void operator()(const Visit& visit) const {
    const numbers_by_index starts(seed);
    const zipf_numbers targets(nodes);
    for (std::uint64_t node = 0; node < nodes; ++node) {
      number_stream numbers(starts.at(node));
      for (std::uint64_t left = least + numbers.below(most - least + 1); left > 0; --left)
        visit(edge{static_cast<node_number>(targets.draw(numbers)), static_cast<node_number>(node)});
    }
  }
};

/// R-MAT (Chakrabarti, Zhan, Faloutsos 2004): each edge chooses a quarter of the adjacency matrix, then a quarter of
/// that, and so on, with the probabilities of the Graph 500 benchmark: 57%, 19%, 19%, 5%. Edges beyond the last node,
/// if `nodes` is no power of two, are drawn again. Unlike there, nodes keep their numbers.
struct rmat_graph {
  std::uint64_t nodes;
  std::uint64_t edges;
  std::uint64_t seed;

  template <class Visit>
  void operator()(const Visit& visit) const {
    const numbers_by_index starts(seed);
    for (std::uint64_t i = 0; i < edges; ++i) {
      number_stream numbers(starts.at(i));
      visit(draw(numbers));
    }
  }

 private:
  /// Where quarters end, in 65,536ths: 57%, 57% + 19%, and 57% + 2 * 19%.
  static constexpr std::uint16_t upper_left = 37'356;
  static constexpr std::uint16_t upper_half = 49'807;
  static constexpr std::uint16_t lower_left = 62'259;

  /// One number of 64 bits serves four levels.
  [[nodiscard]] edge draw(number_stream& numbers) const noexcept {
    const auto levels = static_cast<unsigned>(std::bit_width(nodes - 1));
    for (;;) {
      std::uint64_t from = 0;
      std::uint64_t to = 0;
      std::uint64_t bits = 0;
      for (unsigned level = 0; level < levels; ++level, bits >>= 16) {
        if (level % 4 == 0) bits = numbers.next();
        const auto at = static_cast<std::uint16_t>(bits);
        from = 2 * from + (at >= upper_half ? 1 : 0);
        to = 2 * to + (at < upper_left || (at >= upper_half && at < lower_left) ? 0 : 1);
      }
      if (from < nodes && to < nodes) return {static_cast<node_number>(from), static_cast<node_number>(to)};
    }
  }
};

}  // namespace nearfork::workloads
