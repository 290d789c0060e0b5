// Memory for fibers: address space in slabs, one span per fiber, pages only where a stack was used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <nearfork/detail/fiber.hpp>

namespace nearfork {

/// No frame up to this size can step over a full guard.
inline constexpr std::size_t full_guard_bytes = std::size_t{1} << 30;

/// Bounds of the usable stack. The `guard_bytes` below `low` are not mapped; 0: no guard.
struct stack_bounds {
  std::byte* low = nullptr;
  std::byte* high = nullptr;
  std::size_t guard_bytes = 0;
  std::uint32_t number = 0;  // of the span in its arena
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(high - low); }
};

/// Spans for fibers. Thread-safe; rarely called, since workers keep spare fibers.
///
/// The addresses between stacks are their guards. A full guard costs addresses, and up to 4 KiB for the page table of
/// its gigabyte. So the first thousands of fibers get a full guard, the next ones what their span leaves. When the
/// system has no mapping left, fibers get some pages as a guard.
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

  /// Gives the pages of a spare fiber back to the system; their contents become zero.
  void drop_pages(void* record, const stack_bounds& stack) noexcept;

  /// Size and alignment of each span; a power of two.
  [[nodiscard]] std::size_t span_bytes() const noexcept { return span_bytes_; }

  /// Peak memory of all fibers: the sum, over the spans, of the most that each was seen to have.
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept;

  struct census {
    std::uint64_t made = 0;
    std::uint64_t small_guard = 0;  // less than full_guard_bytes, but some
    std::uint64_t unguarded = 0;
  };
  [[nodiscard]] census counts() const noexcept;

 private:
  /// Kinds of guards, in the order in which fibers get them.
  enum class guarding : std::uint8_t {
    full,     // spans stand apart
    by_span,  // spans stand side by side; what a stack leaves of its span is not mapped
    pages,    // a slab is one mapping, in which the kernel marks some pages (Linux 6.13), or none
  };
  struct slab {
    std::byte* reserved;
    std::size_t reserved_bytes;
    std::byte* next_span;
    std::size_t pitch;  // from span to span
    std::size_t left;
    guarding kind;
  };
  bool add_slab() noexcept;
  bool reserve(std::size_t spans) noexcept;
  [[nodiscard]] std::size_t pitch() const noexcept;
  [[nodiscard]] bool needs_slab() const noexcept;
  bool open_span(slab& from, span& made) noexcept;
  bool remember(span& made) noexcept;
  void count(const stack_bounds& made, guarding kind) noexcept;

  std::size_t stack_bytes_;
  std::size_t span_bytes_;
  std::size_t gap_bytes_;  // between spans that stand apart
  mutable std::mutex mutex_;
  struct extent {
    std::byte* low;
    std::size_t bytes;
    std::size_t peak_bytes;  // as of the last drop_pages()
  };

  std::vector<slab> slabs_;
  std::vector<extent> extents_;  // by number
  census counts_;
  guarding now_ = guarding::full;
  std::uint64_t mapped_guards_ = 0;
  int last_errno_ = 0;
};

}  // namespace nearfork
