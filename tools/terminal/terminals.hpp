#pragma once

namespace nearfork::tools {

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();

}  // namespace nearfork::tools
