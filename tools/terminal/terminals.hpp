#pragma once

#include <cstddef>

namespace nearfork::tools {

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();
/// True where lines on stderr can be rewritten: a terminal that is not called dumb.
[[nodiscard]] bool stderr_can_rewrite();
/// How many characters a line of the terminal behind stderr has; 80 if it does not say.
[[nodiscard]] std::size_t stderr_columns();

}  // namespace nearfork::tools
