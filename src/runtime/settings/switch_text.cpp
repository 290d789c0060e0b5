#include "runtime/settings/switch_text.hpp"

namespace nearfork {

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "on" || text == "yes" || text == "true" || text == "1") return true;
  if (text == "off" || text == "no" || text == "false" || text == "0") return false;
  return std::nullopt;
}

}  // namespace nearfork
