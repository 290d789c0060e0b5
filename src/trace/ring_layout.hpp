// Where things are in the memory of a trace's rings, which may be a file: all in words of 64 bits, in the byte order of
// the machine that wrote them.
//
//   header | table of names | one record per worker, and one more | one ring of events per worker, and one more
//
// The last ring has what threads beside the workers note: counters alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "trace/trace_event.hpp"

namespace nearfork::traces {

/// Each worker writes its own words alone, and readers may look at any time: so all words are atomic.
using word = detail::seam::atomic<std::uint64_t>;
static_assert(sizeof(word) == sizeof(std::uint64_t));

/// "nfring02": another layout has another number.
inline constexpr std::uint64_t ring_magic = 0x323067'6e6972'666eULL;

/// The header's words.
namespace header {
inline constexpr std::size_t magic = 0;
inline constexpr std::size_t size = 1;  // of all, in words
inline constexpr std::size_t workers = 2;
inline constexpr std::size_t events = 3;   // per ring, a power of two
inline constexpr std::size_t process = 4;  // its number
inline constexpr std::size_t first_ns = 5;
inline constexpr std::size_t first_ticks = 6;
inline constexpr std::size_t ns_per_tick = 7;  // the bits of a double
inline constexpr std::size_t names = 8;        // how many are in the table
inline constexpr std::size_t title = 16;       // the name of the runtime
inline constexpr std::size_t words = 64;       // the title has the room of a name
}  // namespace header

/// A worker's record.
namespace record {
inline constexpr std::size_t head = 0;  // how many events the worker has noted so far
inline constexpr std::size_t domain = 1;
inline constexpr std::size_t node = 2;    // one more than the node's number; 0: not known
inline constexpr std::size_t pu = 3;      // one more than the system's number of the PU; 0: not bound
inline constexpr std::size_t thread = 4;  // the system's number; 0: not known
inline constexpr std::size_t words = 16;  // so that heads lie on cache lines of their own
}  // namespace record

inline constexpr std::size_t name_words = 48;  // what a plan says of itself takes some 200 bytes
inline constexpr std::size_t longest_name_bytes = name_words * sizeof(std::uint64_t) - 1;
inline constexpr std::size_t most_names = 512;
inline constexpr std::size_t page_words = 512;

inline constexpr std::size_t most_workers = 4096;
inline constexpr std::size_t least_events = 64;
inline constexpr std::size_t most_events = std::size_t{1} << 24;

struct ring_layout {
  std::size_t workers = 0;
  std::size_t events = 0;  // per worker

  /// The workers' rings, and that of the other threads, which is the last one.
  [[nodiscard]] constexpr std::size_t rings() const noexcept { return workers + 1; }
  [[nodiscard]] static constexpr std::size_t name_at(std::size_t i) noexcept { return header::words + i * name_words; }
  [[nodiscard]] constexpr std::size_t record_at(std::size_t ring) const noexcept {
    return name_at(most_names) + ring * record::words;
  }
  /// Rings begin on pages, so that each is in the memory of the node whose worker writes it first.
  [[nodiscard]] constexpr std::size_t ring_at(std::size_t which) const noexcept {
    const std::size_t first = (record_at(rings()) + page_words - 1) / page_words * page_words;
    const std::size_t ring = (events * event_words + page_words - 1) / page_words * page_words;
    return first + which * ring;
  }
  [[nodiscard]] constexpr std::size_t words() const noexcept { return ring_at(rings()); }
};

}  // namespace nearfork::traces
