// Tests what lies behind the checksums: any bytes as a recording, after their sizes and checksums are made right. The
// result is a clear error, or facts that do not contradict each other and the same bytes when written again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include <nearfork/error.hpp>

#include "recording/checksum.hpp"
#include "recording/recording_file.hpp"
#include "tools/recordings/recording_facts.hpp"

namespace {

using namespace nearfork::recordings;

constexpr std::size_t header_bytes = 32;
constexpr std::size_t section_head_bytes = 16;

void require(bool holds) {
  if (!holds) std::abort();
}

void set(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

/// As many sections as there are, each as large as it says; the last section reaches to the end.
std::string repaired(std::string bytes) {
  bytes.resize(std::max(bytes.size(), header_bytes));
  std::uint32_t sections = 0;
  for (std::size_t at = header_bytes; bytes.size() - at >= section_head_bytes; ++sections) {
    const std::string_view all = bytes;
    const std::size_t room = bytes.size() - at - section_head_bytes;
    // Two bytes hold the section sizes of all inputs that are worth a try.
    std::size_t size = static_cast<unsigned char>(all[at + 4]) | std::size_t{static_cast<unsigned char>(all[at + 5])}
                                                                     << 8;
    if (size > room || room - size < section_head_bytes) size = room;
    set(bytes, at + 4, size, 8);
    const std::uint32_t head = crc32c(all.substr(at, section_head_bytes - 4));
    set(bytes, at + section_head_bytes - 4, crc32c(all.substr(at + section_head_bytes, size), head), 4);
    at += section_head_bytes + size;
  }
  bytes.replace(0, 8, "\x89NFG\r\n\x1a\n", 8);
  // A sound file keeps its version.
  const std::uint32_t beyond_first = static_cast<unsigned char>(bytes[8]) + format_version - first_format_version;
  set(bytes, 8, first_format_version + beyond_first % format_version, 4);
  set(bytes, 12, sections, 4);
  set(bytes, 16, bytes.size(), 8);
  set(bytes, 24, 0, 4);
  set(bytes, 28, crc32c(std::string_view(bytes).substr(0, 28)), 4);
  return bytes;
}

/// What the format promises to the reader of a sound file.
void facts_hold_together(const recording& made) {
  std::set<std::string> names;
  std::set<std::uint32_t> allocated;
  for (const allocation& one : made.allocations)
    require(one.block < made.blocks.size() && allocated.insert(one.block).second);
  for (const region& one : made.regions) {
    require(one.began == 0 ? one.ended == 0 : one.began < one.ended);
    require(names.insert(one.name).second);
    require(one.recorded.size() <= one.iterations);
    std::set<std::uint64_t> numbers;
    for (const iteration& recorded : one.recorded) {
      require(recorded.number >= 1 && recorded.number <= one.iterations);
      require(numbers.insert(recorded.number).second);
      const auto facts = nearfork::tools::facts_of(recorded.graph);
      require(facts.span_ns <= facts.work_ns && facts.depth < facts.tasks);
      require(facts.dataflow_tasks < facts.tasks);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = repaired(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const recording made = from_bytes(bytes, "fuzz.nfg");
    facts_hold_together(made);
    require(to_bytes(made) == bytes);
    require(!nearfork::tools::text_of(made, "fuzz.nfg").empty());
  } catch (const nearfork::error& refused) {
    require(std::string_view(refused.what()).starts_with("nearfork: recording fuzz.nfg, byte "));
  }
  return 0;
}
