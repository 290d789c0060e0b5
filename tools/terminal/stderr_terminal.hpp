#pragma once

namespace nearfork::tools {

[[nodiscard]] bool stderr_is_terminal();

}  // namespace nearfork::tools
