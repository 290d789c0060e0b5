// Lists of numbers in the format of /sys and /proc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nearfork {

/// The number at the start of `rest`, which loses it.
[[nodiscard]] std::optional<unsigned> take_number(std::string_view& rest);

/// Reads "0-1,3", as the system lists nodes and PUs. Ignores what follows the list. Empty if it is no such list.
[[nodiscard]] std::vector<unsigned> listed_numbers(std::string_view text);

}  // namespace nearfork
