// Any environment gives a configuration in range, or an error with words. An accepted configuration reads back as
// itself. Input: lines of NAME=VALUE; a line without '=' is a name with an empty value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

namespace {

std::vector<nearfork::environment_entry> lines_of(std::string_view text) {
  std::vector<nearfork::environment_entry> entries;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    const auto name = line.substr(0, line.find('='));
    const auto value = line.substr(name.size() == line.size() ? line.size() : name.size() + 1);
    entries.push_back({std::string(name), std::string(value)});
    text.remove_prefix(line.size() == text.size() ? text.size() : line.size() + 1);
  }
  return entries;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void reads_back_as_itself(const nearfork::config& accepted) {
  nearfork::config again;
  for (const auto& option : nearfork::config_options()) again.set(option.name, accepted.text_of(option.name));
  for (const auto& option : nearfork::config_options())
    require(again.text_of(option.name) == accepted.text_of(option.name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto environment = lines_of({reinterpret_cast<const char*>(data), size});
  try {
    const nearfork::config accepted = nearfork::config_from(environment);
    accepted.check();
    reads_back_as_itself(accepted);
  } catch (const nearfork::error& refused) {
    require(std::string_view(refused.what()).find("allowed:") != std::string_view::npos);
  }
  return 0;
}
