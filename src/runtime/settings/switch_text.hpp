// Switches from text. Numbers are read by base/text/number_text.hpp.
#pragma once

#include <optional>
#include <string_view>

namespace nearfork {

/// nullopt if `text` is none of the words.
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text);
inline constexpr std::string_view switch_words = "on, off, yes, no, true, false, 1, 0";

}  // namespace nearfork
