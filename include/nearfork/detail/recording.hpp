// The inlined parts of recording: each costs one branch while no runtime records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

struct tree_cursor;
class iteration_log;

/// How many runtimes of this process record. Relaxed: a runtime counts itself before it starts the tasks that it
/// records.
extern constinit seam::atomic<std::uint32_t> recording_runtimes;
[[nodiscard]] inline bool anybody_records() noexcept {
  return recording_runtimes.load(seam::memory_order_relaxed) != 0;
}

/// `count` pieces of `bytes` each, whose begins lie `stride_bytes` apart.
struct hinted_data {
  const void* begin;
  std::size_t bytes;
  std::size_t count = 1;
  std::size_t stride_bytes = 0;
};
enum class hinted_access : std::uint8_t { read, write };

/// Notes a hint of the running task, if that task is recorded.
void note_hint(hinted_access kind, const hinted_data& data) noexcept;
/// Names data. Returns a number for drop_name(); 0: nothing was named.
[[nodiscard]] std::uint64_t note_name(const char* name, const void* begin, std::size_t bytes);
void drop_name(std::uint64_t noted) noexcept;

/// Records a run() outside regions as if it were a region, from construction to destruction.
class recorded_run {
 public:
  explicit recorded_run(const std::source_location& where) : where_(where) {
    if (anybody_records()) [[unlikely]]
      begin(where);
  }
  ~recorded_run() {
    if (root_ != nullptr) [[unlikely]]
      end();
  }
  recorded_run(const recorded_run&) = delete;
  recorded_run& operator=(const recorded_run&) = delete;

 private:
  void begin(const std::source_location& where);
  void end() noexcept;

  std::source_location where_;
  tree_cursor* root_ = nullptr;  // owned
  std::shared_ptr<iteration_log> log_;
  int exceptions_ = 0;
};

}  // namespace nearfork::detail
