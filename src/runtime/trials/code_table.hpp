// What a worker remembers of the loops that it called, by their code.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace nearfork {

/// Of one worker or lane. Loops are alike if they have the same body, by the address of its code, and as many indices
/// to within a factor of two; groups, if their first tasks have the same code.
template <class Value>
class code_table {
 public:
  static constexpr std::size_t fewest_places = 64;
  /// Some 100 bytes each. LULESH has 39 loops over 11 sets of elements, which are 200 of these: with 64 places the next
  /// loop took the place of the last one, and its loops of 0.25 us, which nobody should help with, took 1.5 us on two
  /// workers.
  static constexpr std::size_t most_places = 4096;

  code_table() = default;
  code_table(const code_table&) = delete;
  code_table& operator=(const code_table&) = delete;

  /// What is known, or a new value, in the place of another one if there are many. Valid until of() is called again.
  [[nodiscard]] Value& of(std::uintptr_t code, std::size_t count) noexcept {
    if (Value* const found = find(code, count)) return *found;
    const std::uint32_t width = width_of(count);
    place& taken = place_for(code, width);
    taken = {code, width, {}};
    return taken.value;
  }
  /// nullptr: nothing is known, or another one has taken its place since. Valid until of() is called.
  [[nodiscard]] Value* find(std::uintptr_t code, std::size_t count) noexcept {
    const std::uint32_t width = width_of(count);
    for (std::size_t i = 0; i < neighbours; ++i)
      if (place& one = place_of(code, width, i); one.code == code && one.width == width) return &one.value;
    return nullptr;
  }
  /// In no order. Complexity: the number of places.
  template <class F>
  void for_each(const F& act) {
    for (place& each : all_)
      if (each.code != 0) act(each.value);
  }

 private:
  struct place {
    std::uintptr_t code = 0;  // 0: it is free
    std::uint32_t width = 0;
    Value value{};
  };
  /// A value is in one of so many places side by side.
  static constexpr std::size_t neighbours = 8;

  [[nodiscard]] static std::uint32_t width_of(std::size_t count) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(count));
  }
  [[nodiscard]] place& place_of(std::uintptr_t code, std::uint32_t width, std::size_t i) noexcept {
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
    const std::uint64_t mixed = (std::uint64_t{code} + width) * golden_ratio;
    return all_[((mixed >> 32) + i) & (all_.size() - 1)];
  }
  [[nodiscard]] place* free_place(std::uintptr_t code, std::uint32_t width) noexcept {
    for (std::size_t i = 0; i < neighbours; ++i)
      if (place& one = place_of(code, width, i); one.code == 0) return &one;
    return nullptr;
  }
  [[nodiscard]] place& place_for(std::uintptr_t code, std::uint32_t width) noexcept {
    for (;;) {
      if (place* const found = free_place(code, width)) return *found;
      if (!grow()) return place_of(code, width, 0);
    }
  }
  /// False: there are as many places as may be, or no memory.
  [[nodiscard]] bool grow() noexcept {
    const std::size_t size = 2 * all_.size();
    if (size > most_places) return false;
    std::unique_ptr<place[]> more(new (std::nothrow) place[size]);
    if (more == nullptr) return false;
    const std::unique_ptr<place[]> old = std::exchange(more_, std::move(more));
    const std::span<const place> known = std::exchange(all_, {more_.get(), size});
    for (const place& each : known)
      if (each.code != 0)
        if (place* const found = free_place(each.code, each.width)) *found = each;
    return true;
  }

  std::array<place, fewest_places> first_{};
  std::unique_ptr<place[]> more_;  // in place of the first ones
  std::span<place> all_{first_};
};

}  // namespace nearfork
