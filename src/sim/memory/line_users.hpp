// The cores that used a line, for lines that several cores have used since no cache had them or one core wrote them. No
// other core has such a line in its private caches, and no other holder has it. So neither all cores behind a cache nor
// all caches need be searched: heat on 64 domains of 16 cores took four times as long without this list.
//
// Most lists are short: three users are usual where leaves read beyond their rows. Of a line with more users only the
// holders are known (line_directory), until one is written: from then on such lines near it have sets of cores, as the
// hubs of a graph do. Without sets pagerank on those 1024 cores searched 180 million times in a core's caches, and
// found a line 19 million times. Sets of lines that are only read made matmul there a fifth slower, and told nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "sim/memory/core_sets.hpp"

namespace nearfork::sim {

class line_users {
 private:
  static constexpr unsigned entry_bits = 16;

 public:
  static constexpr std::uint32_t most_listed = 64 / entry_bits;
  static constexpr unsigned near_shift = 10;  // 64 KiB: data that a program uses alike, mostly
  static constexpr std::size_t usual_set_bytes = std::size_t{256} << 20;

  /// No list yet. Memory is taken as lists are begun; for sets at most `set_bytes`.
  line_users(std::uint64_t lines, std::uint32_t cores, std::size_t set_bytes = usual_set_bytes)
      : lists_(static_cast<word*>(std::calloc(lines, sizeof(word)))),
        wants_sets_((lines >> near_shift) + 1),
        sets_(cores, set_bytes) {
    if (lists_ == nullptr) throw std::bad_alloc();
  }

  /// The line was used by `first` alone, and now by `second`.
  void begin(std::uint32_t line, std::uint32_t first, std::uint32_t second) noexcept {
    word& list = lists_[line];
    if (has_set(list)) sets_.give_back(set_of(list));
    list = entry(first) | entry(second) << entry_bits;
  }
  /// Only for a line whose list has begun, as all below.
  void add(std::uint32_t line, std::uint32_t core) noexcept {
    word& list = lists_[line];
    if (!is_short_list(list)) {
      if (has_set(list)) sets_.add(set_of(list), core);
      return;
    }
    unsigned at = 0;
    for (; at < word_bits && (list >> at & one_entry) != 0; at += entry_bits)
      if ((list >> at & one_entry) == entry(core)) return;
    if (at < word_bits) list |= entry(core) << at;
    else list = wants_sets_[line >> near_shift] != 0 ? with_set(list, core) : too_many;
  }
  /// A core writes this line, whose list is not complete. The next lists of lines near it are.
  void want_sets_near(std::uint32_t line) noexcept { wants_sets_[line >> near_shift] = 1; }
  /// False: the users are more than are known.
  [[nodiscard]] bool complete(std::uint32_t line) const noexcept { return lists_[line] != too_many; }
  /// True: complete, and of at most most_listed users.
  [[nodiscard]] bool is_short(std::uint32_t line) const noexcept { return is_short_list(lists_[line]); }

  /// Only for a complete list.
  [[nodiscard]] bool has(std::uint32_t line, std::uint32_t core) const noexcept {
    const word list = lists_[line];
    if (!is_short_list(list)) return sets_.has(set_of(list), core);
    for (word left = list; left != 0; left >>= entry_bits)
      if ((left & one_entry) == entry(core)) return true;
    return false;
  }
  /// True if both lists are short, with the same users in the same order.
  [[nodiscard]] bool alike(std::uint32_t one, std::uint32_t other) const noexcept {
    return lists_[one] == lists_[other] && is_short(one);
  }
  /// Asks the host for the list of a line that is used soon, and those after it. Any number.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const noexcept {
    __builtin_prefetch(lists_.get() + line, 1);
  }

  /// Calls each(core) for the users of a line with a complete list.
  template <class Each>
  void for_each(std::uint32_t line, Each&& each) const {
    const word list = lists_[line];
    if (is_short_list(list)) for_each_listed(list, each);
    else sets_.for_each(set_of(list), each);
  }
  /// Takes these cores from a complete list.
  void drop(std::uint32_t line, std::span<const std::uint16_t> cores) noexcept {
    word& list = lists_[line];
    if (!is_short_list(list)) {
      for (const std::uint16_t core : cores) sets_.remove(set_of(list), core);
      return;
    }
    word kept = 0;
    unsigned at = 0;
    for_each_listed(list, [&](std::uint32_t core) {
      if (std::ranges::find(cores, core) != cores.end()) return;
      kept |= entry(core) << at;
      at += entry_bits;
    });
    list = kept;
  }

 private:
  using word = std::uint64_t;
  static constexpr unsigned word_bits = 64;
  static constexpr word one_entry = (word{1} << entry_bits) - 1;
  static constexpr word too_many = ~word{0};
  /// Of a list that is the number of a set. No entry has it (line_record::most_cores).
  static constexpr word set_mark = word{1} << (word_bits - 1);

  /// Users are counted from 1: an empty place is 0.
  static constexpr word entry(std::uint32_t core) noexcept { return word{core} + 1; }
  static constexpr bool is_short_list(word list) noexcept { return (list & set_mark) == 0; }
  static constexpr bool has_set(word list) noexcept { return !is_short_list(list) && list != too_many; }
  static constexpr std::uint32_t set_of(word list) noexcept { return static_cast<std::uint32_t>(list); }

  template <class Each>
  static void for_each_listed(word list, Each&& each) {
    for (word left = list; left != 0; left >>= entry_bits) each(static_cast<std::uint32_t>(left & one_entry) - 1);
  }
  /// The list of the users of a short one, and of one more. Without room for a set the search takes longer, with the
  /// same result.
  [[nodiscard]] word with_set(word list, std::uint32_t core) noexcept {
    const auto set = sets_.take();
    if (!set) return too_many;
    for_each_listed(list, [&](std::uint32_t user) { sets_.add(*set, user); });
    sets_.add(*set, core);
    return set_mark | *set;
  }

  struct freed {
    void operator()(word* all) const noexcept { std::free(all); }
  };
  std::unique_ptr<word[], freed> lists_;  // calloc: pages of lists that do not begin are never written
  std::vector<std::uint8_t> wants_sets_;
  core_sets sets_;
};

}  // namespace nearfork::sim
