#pragma once

namespace nearfork {

/// True for characters that could disturb a terminal or break a line: those below the space, and DEL.
[[nodiscard]] constexpr bool is_control(char one) noexcept {
  return static_cast<unsigned char>(one) < 0x20 || one == 0x7f;
}

}  // namespace nearfork
