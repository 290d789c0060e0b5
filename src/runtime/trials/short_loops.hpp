// What a worker remembers of the loops that it called last, and a lane of the groups of threads outside.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nearfork/detail/short_loop.hpp>

#include "runtime/trials/brief_loop.hpp"
#include "runtime/trials/short_loop_trial.hpp"

namespace nearfork {

/// Loops and groups that take longer are always shared: about 50 us. A thread outside workers may wait as long for a
/// worker that it woke.
inline constexpr std::uint64_t longest_alone_ticks = 16 * detail::look_up_ticks;

/// Of one worker or lane. Loops are alike if they have the same body, by the address of its code, and as many indices
/// to within a factor of two; groups, if their first tasks have the same code.
class short_loops {
 public:
  /// An inner loop whose length varies from 2 to 1000 has nine of them.
  static constexpr std::size_t places = 64;

  struct remembered {
    std::uintptr_t body = 0;
    std::uint32_t width = 0;
    brief_loop brief{};
    short_loop_trial trial{};
  };

  /// As long as no other loop took its place; a program has few places where it calls short loops.
  [[nodiscard]] remembered& of(std::uintptr_t body, std::size_t count) noexcept {
    if (remembered* const found = find(body, count)) return *found;
    return all_[place_of(body, count)] = {body, width_of(count), {}, {}};
  }
  /// nullptr: another loop has taken its place since.
  [[nodiscard]] remembered* find(std::uintptr_t body, std::size_t count) noexcept {
    remembered& one = all_[place_of(body, count)];
    return one.body == body && one.width == width_of(count) ? &one : nullptr;
  }

 private:
  [[nodiscard]] static std::uint32_t width_of(std::size_t count) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(count));
  }
  /// Code begins at multiples of 16.
  [[nodiscard]] static std::size_t place_of(std::uintptr_t body, std::size_t count) noexcept {
    return ((body >> 4) + std::size_t{5} * width_of(count)) % places;
  }

  std::array<remembered, places> all_{};
};

}  // namespace nearfork
