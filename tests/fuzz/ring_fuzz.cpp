// Any bytes as a ring file give a clear error, or a trace. Memory stays in proportion to the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nearfork/error.hpp>

#include "trace/perfetto_trace.hpp"
#include "trace/ring_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearfork;
  try {
    const auto run = traces::read_ring_file({reinterpret_cast<const char*>(data), size}, "fuzz.ring");
    if (traces::perfetto_trace(run).empty()) std::abort();
  } catch (const error& refused) {
    if (!std::string_view(refused.what()).starts_with("nearfork: ring file fuzz.ring: ")) std::abort();
  }
  return 0;
}
