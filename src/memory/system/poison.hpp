// Poison: what sanitizers are told of the pools, where the program has one (base/sanitizer_calls.hpp): which bytes of a span nobody may
// touch, where pointers may lie, and that who gets a block comes after who freed it. A free block keeps its links, so its first 16
// bytes stay open.
#pragma once

#include <cstddef>

#include "base/sanitizer_calls.hpp"

namespace nearfork::poison {

using sanitizers::close;
using sanitizers::open;

/// Pools order a block's users by means that a thread sanitizer does not see. One address for all blocks of a span: for each its own
/// would cost the sanitizer more memory than the blocks have.
inline void block_given_out(void* block, std::size_t bytes, const void* span) noexcept {
  open(block, bytes);
  sanitizers::take_over(span);
}
inline void block_given_back(const void* span) noexcept {
  sanitizers::hand_over(span);
}

/// Blocks hold pointers to what users allocate elsewhere.
inline void span_taken(void* start, std::size_t bytes) noexcept {
  sanitizers::hand_over(start);
  sanitizers::holds_pointers(start, bytes);
}
inline void span_given_back(void* start, std::size_t bytes) noexcept {
  open(start, bytes);  // whoever gets these addresses next
  sanitizers::holds_no_pointers(start, bytes);
}

}  // namespace nearfork::poison
