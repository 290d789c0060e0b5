// The rings of all workers of a runtime, and the names that their events refer to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/even_ticks.hpp"
#include "trace/event_ring.hpp"
#include "trace/ring_memory.hpp"
#include "trace/traced_run.hpp"

namespace nearfork::traces {

struct rings_wanted {
  std::string title;
  std::uint32_t workers = 1;
  std::size_t events = 1;  // per worker; rounded up to a power of two
  std::string file{};      // empty: memory of the process alone
};

class trace_rings {
 public:
  /// Takes a millisecond, in which it measures the clock: the file of a process that is killed must tell it.
  /// Throws: std::bad_alloc.
  explicit trace_rings(const rings_wanted& wanted);

  [[nodiscard]] event_ring& of(std::uint32_t worker) noexcept { return *rings_[worker]; }
  /// Where a worker runs. Only members of `facts` that describe the worker count. Called once for each worker.
  void describe(std::uint32_t worker, const traced_worker& facts) noexcept;

  /// The number of a name; longer names are cut. If there are too many names, the last one stands for the others.
  /// Thread-safe: takes a lock.
  [[nodiscard]] std::uint16_t number_of(std::string_view name);
  /// The same for a name whose characters never change, by the worker of `ring`. From the second time on without a
  /// lock.
  [[nodiscard]] std::uint16_t number_of(event_ring& ring, const char* name);

  /// A counter has this value from now on. By threads that are no workers: it takes a lock. Thread-safe.
  void count(std::string_view counter, double value) noexcept;

  /// What was noted so far. Thread-safe.
  [[nodiscard]] traced_run read();
  /// Events for which there was no room.
  [[nodiscard]] std::uint64_t lost() const noexcept;

  /// Empty: there is none.
  [[nodiscard]] const std::string& file() const noexcept { return taken_.memory->file(); }
  /// Why there is no file although one was wanted; empty: there is one.
  [[nodiscard]] const std::string& why_no_file() const noexcept { return taken_.why_no_file; }
  void keep_file() noexcept { taken_.memory->keep_file(); }
  void remove_file() noexcept { taken_.memory->remove_file(); }

 private:
  void write_text(std::size_t first_word, std::string_view text) noexcept;
  std::uint16_t add_name(std::string_view name);

  const ring_layout layout_;
  taken_memory taken_;
  word* const words_;
  const detail::tick_rate rate_;
  std::vector<std::unique_ptr<event_ring>> rings_;  // the last one is that of other threads
  std::mutex others_mutex_;                         // of those that write the last ring
  std::mutex mutex_;
  std::map<std::string, std::uint16_t, std::less<>> numbers_;
};

}  // namespace nearfork::traces
