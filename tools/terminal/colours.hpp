// Colours on terminals: never in pipes and files, and not where NO_COLOR or TERM=dumb ask for none.
#pragma once

#include <cstdint>
#include <string>

namespace nearfork::tools {

enum class colour : std::uint8_t { bold, red, green, yellow };

/// `no_color`, `term`: the variables of that name; nullptr: not set. Pure.
[[nodiscard]] bool colours_wanted(bool is_terminal, const char* no_color, const char* term) noexcept;

/// Whether text for these streams of this process may have colours.
[[nodiscard]] bool stdout_has_colours();
[[nodiscard]] bool stderr_has_colours();

/// The text between the terminal's codes, or the text itself if `has_colours` is false.
[[nodiscard]] std::string painted(colour how, const std::string& text, bool has_colours);

}  // namespace nearfork::tools
