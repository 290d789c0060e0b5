// The result of one measurement.
#pragma once

#include <optional>
#include <string>

namespace nearfork::tools {

/// A number, or why there is none.
struct reading {
  std::optional<double> value{};
  std::string why{};
};

}  // namespace nearfork::tools
