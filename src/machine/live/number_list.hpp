// Lists of numbers as /sys and /proc write them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nearfork {

/// The number at the start of `rest`, which is taken off.
[[nodiscard]] std::optional<unsigned> take_number(std::string_view& rest);

/// "0-1,3", as the system lists nodes and PUs; what follows the list is passed over. Empty where it is not such a list.
[[nodiscard]] std::vector<unsigned> listed_numbers(std::string_view text);

}  // namespace nearfork
