// The cores that used a line, for lines that several cores have used since no cache had them or one core wrote them. No
// other core has such a line in its private caches, and no other holder has it. So neither all cores behind a cache nor
// all caches need be searched: heat on 64 domains of 16 cores took four times as long without this list.
//
// Lists are short; of a line with more users only the holders are known (line_directory). Three users are usual where
// leaves read beyond their rows.
#pragma once

#include <cstdint>
#include <memory>

namespace nearfork::sim {

class line_users {
 private:
  static constexpr unsigned entry_bits = 16;

 public:
  static constexpr std::uint32_t most_listed = 64 / entry_bits;

  /// No list yet. Memory is taken as lists are begun.
  explicit line_users(std::uint64_t lines) : lists_(new word[lines]) {}

  /// The line was used by `first` alone, and now by `second`.
  void begin(std::uint32_t line, std::uint32_t first, std::uint32_t second) noexcept {
    lists_[line] = entry(first) | entry(second) << entry_bits;
  }
  /// Only for a line whose list has begun, as all below.
  void add(std::uint32_t line, std::uint32_t core) noexcept {
    word& list = lists_[line];
    if (list == too_many) return;
    unsigned at = 0;
    for (; at < word_bits && (list >> at & one_entry) != 0; at += entry_bits)
      if ((list >> at & one_entry) == entry(core)) return;
    if (at == word_bits) list = too_many;
    else list |= entry(core) << at;
  }
  [[nodiscard]] bool complete(std::uint32_t line) const noexcept { return lists_[line] != too_many; }

  /// Only for a complete list.
  [[nodiscard]] bool has(std::uint32_t line, std::uint32_t core) const noexcept {
    for (word left = lists_[line]; left != 0; left >>= entry_bits)
      if ((left & one_entry) == entry(core)) return true;
    return false;
  }
  /// True if both lists have the same users in the same order.
  [[nodiscard]] bool alike(std::uint32_t one, std::uint32_t other) const noexcept {
    return lists_[one] == lists_[other];
  }
  /// Asks the host for the list of a line that is used soon, and those after it. Any number.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept {
    __builtin_prefetch(lists_.get() + line, 1);
  }

  /// Calls each(core) for the users of a line with a complete list.
  template <class Each>
  void for_each(std::uint32_t line, Each&& each) const {
    for (word left = lists_[line]; left != 0; left >>= entry_bits)
      each(static_cast<std::uint32_t>(left & one_entry) - 1);
  }
  /// Takes the users from a complete list for which gone(core) holds.
  template <class Gone>
  void drop(std::uint32_t line, Gone&& gone) {
    word kept = 0;
    unsigned at = 0;
    for_each(line, [&](std::uint32_t core) {
      if (gone(core)) return;
      kept |= entry(core) << at;
      at += entry_bits;
    });
    lists_[line] = kept;
  }

 private:
  using word = std::uint64_t;
  static constexpr unsigned word_bits = 64;
  static constexpr word one_entry = (word{1} << entry_bits) - 1;
  static constexpr word too_many = ~word{0};  // no core has the number 0xfffe (line_record::most_cores)

  /// Users are counted from 1: an empty place is 0.
  static constexpr word entry(std::uint32_t core) noexcept { return word{core} + 1; }

  std::unique_ptr<word[]> lists_;
};

}  // namespace nearfork::sim
