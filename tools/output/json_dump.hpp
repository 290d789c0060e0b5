// JSON as text. JSON is UTF-8, but names of regions and paths may hold any bytes: bytes that are no UTF-8 become
// U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace nearfork::tools {

/// `indent` below 0: on one line.
template <class Json>
[[nodiscard]] std::string dumped(const Json& made, int indent = 2) {
  return made.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace nearfork::tools
