// Times, bytes and parts in words for people. Pure.
#pragma once

#include <string>

namespace nearfork::tools {

/// "405.5 us".
[[nodiscard]] std::string time_words(double ns);
/// "4.0 MiB".
[[nodiscard]] std::string bytes_words(double bytes);
/// 0.254: "25%".
[[nodiscard]] std::string part_words(double fraction);

}  // namespace nearfork::tools
