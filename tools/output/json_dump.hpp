// JSON as text. Names of regions and paths of files may hold any bytes, JSON is UTF-8: what is none becomes U+FFFD.
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
