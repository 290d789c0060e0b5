// The memory of a trace's rings: a file that is mapped, so that it outlives a process that is killed, or memory alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "trace/ring_layout.hpp"

namespace nearfork::traces {

class ring_memory {
 public:
  ring_memory() = default;
  virtual ~ring_memory() = default;
  ring_memory(const ring_memory&) = delete;
  ring_memory& operator=(const ring_memory&) = delete;

  /// All zero at first.
  [[nodiscard]] virtual word* words() noexcept = 0;
  /// Empty: no file.
  [[nodiscard]] virtual const std::string& file() const noexcept = 0;
  /// From now on the file stays when the object is destroyed.
  virtual void keep_file() noexcept = 0;
  /// Removes the file now; the memory stays. For a process's own runtime, which is never destroyed.
  virtual void remove_file() noexcept = 0;
};

/// The memory, and why it is no file; empty: it is one, or none was asked for.
struct taken_memory {
  std::unique_ptr<ring_memory> memory;
  std::string why_no_file{};
};

/// Makes the file `path`, which must not exist, with room for all words. If that fails, or `path` is empty, takes
/// memory of the process alone. Throws: std::bad_alloc.
[[nodiscard]] taken_memory take_ring_memory(const std::string& path, std::size_t words);

}  // namespace nearfork::traces
