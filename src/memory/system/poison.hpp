// What the pools tell a sanitizer, if the program has one (base/sanitizer_calls.hpp): which bytes of a span are not to
// be touched, where pointers may lie, and that the next user of a block comes after the thread that freed it. A free
// block holds its links, so its first 16 bytes stay open.
#pragma once

#include <cstddef>

#include "base/sanitizer_calls.hpp"

namespace nearfork::poison {

using sanitizers::close;
using sanitizers::open;

/// The pools order the users of a block by means that a thread sanitizer does not see. All blocks of a span share one
/// address for this: one address per block would cost the sanitizer more memory than the blocks have.
inline void block_given_out(void* block, std::size_t bytes, const void* span) noexcept {
  open(block, bytes);
  sanitizers::take_over(span);
}
inline void block_given_back(const void* span) noexcept {
  sanitizers::hand_over(span);
}

/// Tells that blocks may hold pointers to what users allocate elsewhere.
inline void span_taken(void* start, std::size_t bytes) noexcept {
  sanitizers::hand_over(start);
  sanitizers::holds_pointers(start, bytes);
}
inline void span_given_back(void* start, std::size_t bytes) noexcept {
  open(start, bytes);  // for the next user of these addresses
  sanitizers::holds_no_pointers(start, bytes);
}

}  // namespace nearfork::poison
