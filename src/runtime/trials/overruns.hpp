// Loops that took longer than loops of their place do. The system interrupts one once in a while; three in a row mean
// that bodies have become slow.
#pragma once

#include <cstdint>

namespace nearfork {

class overruns {
 public:
  /// True: three in a row, or nearly.
  [[nodiscard]] bool add() noexcept {
    weight_ += each;
    return weight_ > 2 * each;
  }
  /// A loop has ended in time.
  void fade() noexcept { weight_ -= weight_ > 0 ? 1 : 0; }

 private:
  static constexpr std::uint32_t each = 4;
  std::uint32_t weight_ = 0;
};

}  // namespace nearfork
