#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace nearfork::tools {

/// A set of 32-bit ids, which numbers them from 0 in ascending order. Takes 10 KiB for each 65,536 neighbouring ids of
/// which one is in the set, 640 MiB at most; each call takes constant time.
class seen_ids {
 public:
  void add(std::uint32_t id) {
    if (pages_.size() <= id / ids_of_page) pages_.resize(id / ids_of_page + 1);
    std::unique_ptr<page>& in = pages_[id / ids_of_page];
    if (!in) in = std::make_unique<page>();
    in->words[id % ids_of_page / 64] |= std::uint64_t{1} << id % 64;
  }

  /// Numbers all ids. Returns how many there are. Call it once, after the last add().
  std::uint64_t number_all() noexcept {
    std::uint64_t before = 0;
    for (const std::unique_ptr<page>& one : pages_)
      if (one) before = one->number_from(before);
    return before;
  }

  /// The number of an id that is in the set.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t id) const noexcept {
    const page& in = *pages_[id / ids_of_page];
    const std::size_t word = id % ids_of_page / 64;
    const std::uint64_t lower = in.words[word] & ((std::uint64_t{1} << id % 64) - 1);
    return static_cast<std::uint32_t>(in.before + in.before_word[word] + static_cast<unsigned>(std::popcount(lower)));
  }

 private:
  static constexpr std::uint32_t ids_of_page = 1 << 16;
  struct page {
    std::array<std::uint64_t, ids_of_page / 64> words{};
    std::array<std::uint16_t, ids_of_page / 64> before_word{};
    std::uint64_t before = 0;

    /// Returns the number after the last id of this page.
    std::uint64_t number_from(std::uint64_t first) noexcept {
      before = first;
      unsigned count = 0;
      for (std::size_t i = 0; i < words.size(); ++i) {
        before_word[i] = static_cast<std::uint16_t>(count);  // at most 65,472
        count += static_cast<unsigned>(std::popcount(words[i]));
      }
      return first + count;
    }
  };

  std::vector<std::unique_ptr<page>> pages_{};
};

}  // namespace nearfork::tools
