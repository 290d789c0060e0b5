// Memory for fibers: address space in slabs, one span a fiber, pages only where a stack was used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <nearfork/detail/fiber.hpp>

namespace nearfork {

/// Bounds of the usable stack; the page below `low` is not mapped if `guarded`.
struct stack_bounds {
  std::byte* low = nullptr;
  std::byte* high = nullptr;
  bool guarded = false;
  std::uint32_t number = 0;  // of the span in its arena
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(high - low); }
};

/// Spans for fibers. Thread-safe; rarely called, since workers keep spare fibers.
class stack_arena {
 public:
  explicit stack_arena(std::size_t stack_bytes);
  ~stack_arena();
  stack_arena(const stack_arena&) = delete;
  stack_arena& operator=(const stack_arena&) = delete;

  struct span {
    void* record = nullptr;  // where the fiber record goes; nullptr: no memory, errno_value says why
    stack_bounds stack;
    int errno_value = 0;
  };
  [[nodiscard]] span allocate() noexcept;

  /// Gives the pages of a fiber that is kept for later back to the system; its contents become zero.
  void drop_pages(void* record, const stack_bounds& stack) noexcept;

  /// Memory that all fibers had at their most: the sum, over the spans, of the most that each was seen to have.
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept;
  [[nodiscard]] std::uint64_t made() const noexcept;
  [[nodiscard]] std::uint64_t unguarded() const noexcept;

 private:
  struct slab {
    std::byte* reserved;
    std::size_t reserved_bytes;
    std::byte* first_span;
    std::size_t spans;
    std::size_t used;
    bool open;
  };
  bool add_slab(bool open) noexcept;
  [[nodiscard]] bool needs_slab() const noexcept;
  bool open_span(slab& from, span& made) noexcept;
  bool remember(span& made) noexcept;

  std::size_t stack_bytes_;
  mutable std::mutex mutex_;
  struct extent {
    std::byte* low;
    std::size_t bytes;
    std::size_t peak_bytes;  // as of the last drop_pages()
  };

  std::vector<slab> slabs_;
  std::vector<extent> extents_;  // by number
  std::uint64_t made_ = 0;
  std::uint64_t unguarded_ = 0;
  bool must_open_ = false;
  int last_errno_ = 0;
};

}  // namespace nearfork
