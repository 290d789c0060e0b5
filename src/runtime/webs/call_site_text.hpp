// The place of a call in messages.
#pragma once

#include <string>

#include <nearfork/call_site.hpp>

namespace nearfork {

[[nodiscard]] inline std::string to_text(const call_site& where) {
  return std::string(where.file) + ":" + std::to_string(where.line);
}

}  // namespace nearfork
