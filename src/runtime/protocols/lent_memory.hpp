// Memory of one thread that others look at, and that may go when that thread ends: its owner takes it back first.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

/// A reader counts itself before it looks where the memory is; the owner moves the address before it looks at the
/// count. Both are sequentially consistent: the reader sees the new address, or the owner sees the reader and waits.
template <class T>
class lent_memory {
 public:
  /// Where readers look from now on. Those who look at what was lent before may still do so.
  void lend(T* now) noexcept { where_.store(now, seam::memory_order_relaxed); }
  [[nodiscard]] T* lent() const noexcept { return where_.load(seam::memory_order_relaxed); }

  /// As lend(). Returns when nobody looks at what was lent before, which may go then. `has_readers()`: whether there
  /// are any that end what they do; those of the parent of fork() do not in its child.
  template <class HasReaders>
  void take_back(T* now, const HasReaders& has_readers) noexcept {
    where_.store(now, seam::memory_order_seq_cst);
    while (readers_.load(seam::memory_order_seq_cst) != 0 && has_readers()) seam::yield();
  }

  /// What `look(T*)` says, which must not keep the address; nullptr: nothing is lent. For any thread.
  template <class Look>
  auto look_at(const Look& look) noexcept {
    readers_.fetch_add(1, seam::memory_order_seq_cst);
    const auto seen = look(where_.load(seam::memory_order_seq_cst));
    readers_.fetch_sub(1, seam::memory_order_release);
    return seen;
  }

 private:
  seam::atomic<T*> where_{nullptr};
  seam::atomic<std::uint32_t> readers_{0};  // now
};

}  // namespace nearfork
