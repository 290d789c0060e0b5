// Any text as a machine's specification gives a machine, or a clear error.
#include <cstddef>
#include <cstdint>
#include <string>

#include <nearfork/error.hpp>

#include "machine/model/machine.hpp"
#include "tests/hwloc_leaks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto read = nearfork::machine_from_synthetic(std::string(reinterpret_cast<const char*>(data), size));
    (void)nearfork::picture_of(*read);
  } catch (const nearfork::error&) {
    // a bad description is refused
  }
  return 0;
}
