// A list of entries in pages that never move, to which one worker appends while tasks run.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace nearfork::detail {

enum class noting : std::uint8_t {
  done,
  took_long,  // a new page was taken: no task should be charged for the time
  lost,       // no memory
};

template <class Note, std::size_t PerPage>
class append_log {
 public:
  static_assert(std::is_trivially_copyable_v<Note>);
  using note = Note;
  static constexpr std::size_t per_page = PerPage;

  [[nodiscard]] noting add(const Note& one) noexcept {
    noting how = noting::done;
    if (next_ == end_) [[unlikely]] {
      how = take_page();
      if (how == noting::lost) return how;
    }
    assert(next_ != nullptr);
    *next_++ = one;
    return how;
  }

  /// nullptr: there is none.
  [[nodiscard]] Note* last() noexcept { return pages_.empty() ? nullptr : next_ - 1; }
  [[nodiscard]] std::size_t pages() const noexcept { return pages_.size(); }
  [[nodiscard]] Note* page(std::size_t i) noexcept { return pages_[i].get(); }
  [[nodiscard]] std::size_t notes_on(std::size_t i) const noexcept {
    return i + 1 < pages_.size() ? PerPage : static_cast<std::size_t>(next_ - pages_[i].get());
  }
  /// Calls visit(note) for each note, in order.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < pages(); ++i)
      for (Note* one = page(i); one != page(i) + notes_on(i); ++one) visit(*one);
  }

 private:
  /// Writes to the whole page at once, so that later tasks do not pay for its page faults.
  [[gnu::noinline, gnu::cold]] noting take_page() noexcept {
    try {
      pages_.push_back(std::unique_ptr<Note[]>(new Note[PerPage]));
    } catch (const std::bad_alloc&) {
      return noting::lost;
    }
    next_ = pages_.back().get();
    end_ = next_ + PerPage;
    std::memset(static_cast<void*>(next_), 0, PerPage * sizeof(Note));
    return noting::took_long;
  }

  Note* next_ = nullptr;
  Note* end_ = nullptr;
  std::vector<std::unique_ptr<Note[]>> pages_;
};

}  // namespace nearfork::detail
