// Unknown words: which known word was probably meant, and the message about it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nearfork {

/// Edits (insert, remove, replace one character) that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

/// The known word nearest to `unknown`, if it is near: at most a few edits away, fewer for short words, or `unknown` is
/// its beginning. Else empty. Dashes at the beginning do not count.
[[nodiscard]] std::string nearest_word(std::string_view unknown, std::span<const std::string> known);

/// Whether `word` stands in the text between blanks, ends of lines or the text's ends. O(text).
[[nodiscard]] bool has_word(std::string_view text, std::string_view word) noexcept;

/// "a, b, c".
[[nodiscard]] std::string listed(std::span<const std::string> words);
/// "1, 2, 3".
[[nodiscard]] std::string listed(std::span<const unsigned> numbers);
/// " (did you mean X?)", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view unknown, std::span<const std::string> known);
/// " (did you mean X?); allowed: X, Y, Z": for a message after an unknown word.
[[nodiscard]] std::string suggestion(std::string_view unknown, std::span<const std::string> known);

}  // namespace nearfork
