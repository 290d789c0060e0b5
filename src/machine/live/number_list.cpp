#include "machine/live/number_list.hpp"

#include <charconv>

namespace nearfork {
namespace {

/// More than any machine has: a list with more numbers counts as damaged.
constexpr unsigned most_numbers = 1U << 16;

}  // namespace

std::optional<unsigned> take_number(std::string_view& rest) {
  unsigned number = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (read.ec != std::errc{}) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
  return number;
}

std::vector<unsigned> listed_numbers(std::string_view text) {
  std::vector<unsigned> numbers;
  while (!text.empty()) {
    const auto first = take_number(text);
    if (!first) break;
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (!last || *last < *first || *last >= most_numbers) return {};
    for (unsigned one = *first; one <= *last; ++one) numbers.push_back(one);
    if (!text.starts_with(',')) break;
    text.remove_prefix(1);
  }
  return numbers;
}

}  // namespace nearfork
