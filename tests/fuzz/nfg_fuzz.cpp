// Any bytes as a recording give a clear error, or a recording that is written as the very same bytes. Memory stays in
// proportion to the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nearfork/error.hpp>

#include "recording/recording_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    require(nearfork::recordings::to_bytes(nearfork::recordings::from_bytes(bytes, "fuzz.nfg")) == bytes);
  } catch (const nearfork::error& refused) {
    require(std::string_view(refused.what()).starts_with("nearfork: recording fuzz.nfg, byte "));
  }
  return 0;
}
