// Any text is refused as smaps, or gives ascending mappings, of which no more is referenced than there is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sensors/hotness/referenced_text.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto found =
      nearfork::referenced_mappings({reinterpret_cast<const char*>(data), size}, {0x1000, std::uintptr_t{1} << 47});
  if (!found) return 0;
  std::uintptr_t done = 0;
  for (const nearfork::referenced_mapping& one : *found) {
    require(done <= one.range.begin && one.range.begin < one.range.end);
    require(one.referenced_bytes <= one.range.end - one.range.begin);
    done = one.range.end;
  }
  return 0;
}
