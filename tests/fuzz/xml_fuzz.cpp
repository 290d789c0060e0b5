// Any bytes as a machine's XML give a machine, or a clear error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nearfork/error.hpp>

#include "machine/model/machine.hpp"
#include "tests/hwloc_leaks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto read = nearfork::machine_from_xml({reinterpret_cast<const char*>(data), size}, "fuzz.xml");
    (void)nearfork::picture_of(*read);
  } catch (const nearfork::error&) {
    // a bad description is refused
  }
  return 0;
}
