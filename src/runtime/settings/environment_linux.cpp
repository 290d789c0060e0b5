#include "runtime/settings/environment.hpp"

#include <string_view>

#include <unistd.h>

namespace nearfork {

std::vector<environment_entry> read_environment() {
  std::vector<environment_entry> entries;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("NEARFORK_")) continue;
    const auto equals = text.find('=');
    if (equals == text.npos) continue;
    entries.push_back({std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
  }
  return entries;
}

}  // namespace nearfork
