#include "base/text/word_choice.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace nearfork {
namespace {

constexpr std::size_t longest_word = 64;  // longer words are no typing errors, and comparing them takes long
constexpr std::size_t most_edits = 3;

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// At most half of a short word may be replaced: else --csv would mean --xml.
std::size_t edits_allowed(std::string_view word) {
  return std::min(most_edits, word.size() / 2);
}

/// A matching beginning counts as one edit.
std::size_t distance_of(std::string_view unknown, std::string_view known) {
  const std::size_t edits = edit_distance(unknown, known);
  return unknown.size() >= 2 && known.starts_with(unknown) ? std::min<std::size_t>(edits, 1) : edits;
}

}  // namespace

bool has_word(std::string_view text, std::string_view word) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n'; };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || is_blank(text[at - 1])) && (end == text.size() || is_blank(text[end]))) return true;
  }
  return false;
}

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest_word(std::string_view unknown, std::span<const std::string> known) {
  const std::string_view meant = without_dashes(unknown);
  if (meant.empty() || meant.size() > longest_word) return {};
  std::string nearest;
  std::size_t least = edits_allowed(meant) + 1;
  for (const std::string& word : known)
    if (const std::size_t distance = distance_of(meant, without_dashes(word)); distance < least) {
      least = distance;
      nearest = word;
    }
  return nearest;
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string listed(std::span<const unsigned> numbers) {
  std::vector<std::string> words;
  for (const unsigned number : numbers) words.push_back(std::to_string(number));
  return listed(words);
}

std::string did_you_mean(std::string_view unknown, std::span<const std::string> known) {
  const std::string nearest = nearest_word(unknown, known);
  return nearest.empty() ? "" : " (did you mean " + nearest + "?)";
}

std::string suggestion(std::string_view unknown, std::span<const std::string> known) {
  return did_you_mean(unknown, known) + "; allowed: " + listed(known);
}

}  // namespace nearfork
