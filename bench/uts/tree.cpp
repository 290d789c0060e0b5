#include <bit>
#include <boost/uuid/detail/sha1.hpp>
#include <cmath>

#include "bench/uts/uts.hpp"

namespace uts {
namespace {

constexpr std::uint32_t most_children = 100;  // except for the root of a binomial tree

std::array<std::uint8_t, 4> big_endian(std::uint32_t value) {
  return {static_cast<std::uint8_t>(value >> 24), static_cast<std::uint8_t>(value >> 16),
          static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
}

std::array<std::uint8_t, 20> digest_of(boost::uuids::detail::sha1& hash) {
  unsigned words[5];
  hash.get_digest(words);
  std::array<std::uint8_t, 20> bytes;
  for (std::size_t i = 0; i < 5; ++i)
    std::ranges::copy(big_endian(words[i]), bytes.begin() + static_cast<std::ptrdiff_t>(4 * i));
  return bytes;
}

/// A number in [0, 1), from the digest's last 31 bits.
double chance(const node& of) {
  const auto& d = of.digest;
  const std::uint32_t word =
      (std::uint32_t{d[16]} << 24 | std::uint32_t{d[17]} << 16 | std::uint32_t{d[18]} << 8 | d[19]);
  return static_cast<double>(word & 0x7fff'ffffU) / 2147483648.0;
}

}  // namespace

node root_of(const parameters& tree) {
  std::array<std::uint8_t, 20> start{};
  std::ranges::copy(big_endian(tree.seed), start.begin() + 16);
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(start.data(), start.size());
  return {digest_of(hash), 0};
}

node child_of(const node& parent, std::uint32_t index) {
  const auto number = big_endian(index);
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(parent.digest.data(), parent.digest.size());
  hash.process_bytes(number.data(), number.size());
  return {digest_of(hash), parent.depth + 1};
}

std::uint32_t children_of(const parameters& tree, const node& parent) {
  if (tree.kind == shape::binomial) {
    if (parent.depth == 0) return static_cast<std::uint32_t>(tree.root_branching);
    return chance(parent) < tree.probability ? tree.branching : 0;
  }
  if (parent.depth >= tree.depth) return 0;
  const double p = 1 / (1 + tree.root_branching);
  return std::min(most_children,
                  static_cast<std::uint32_t>(std::floor(std::log(1 - chance(parent)) / std::log(1 - p))));
}

}  // namespace uts
