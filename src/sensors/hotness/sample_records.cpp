#include "sensors/hotness/sample_records.hpp"

#include <algorithm>
#include <cstring>

namespace nearfork {
namespace {

// The kernel's form: include/uapi/linux/perf_event.h.
struct record_header {
  std::uint32_t type;
  std::uint16_t misc;
  std::uint16_t size;  // of the whole record
};
constexpr std::uint32_t lost_record = 2;
constexpr std::uint32_t sample_record = 9;

struct lost_body {
  std::uint64_t event;
  std::uint64_t lost;
};

template <class Body>
bool take_body(std::span<const std::byte> record, Body& into) {
  if (record.size() < sizeof(record_header) + sizeof into) return false;
  std::memcpy(&into, record.data() + sizeof(record_header), sizeof into);
  return true;
}

bool take_record(std::uint32_t type, std::span<const std::byte> record, sampled_accesses& into) {
  if (type == sample_record) {
    access_sample one;
    if (!take_body(record, one)) return false;
    into.samples.push_back(one);
  } else if (type == lost_record) {
    lost_body one{};
    if (!take_body(record, one)) return false;
    into.lost += one.lost;
  }
  return true;
}

}  // namespace

sampled_accesses accesses_in(std::span<const std::byte> records) {
  sampled_accesses made;
  while (!records.empty()) {
    record_header header{};
    if (records.size() >= sizeof header) std::memcpy(&header, records.data(), sizeof header);
    made.is_understood = header.size >= sizeof header && header.size <= records.size() &&
                         take_record(header.type, records.first(header.size), made);
    if (!made.is_understood) return made;
    records = records.subspan(header.size);
  }
  return made;
}

std::vector<std::byte> unrolled(std::span<const std::byte> ring, std::uint64_t tail, std::uint64_t head) {
  if (ring.empty() || head - tail > ring.size()) return {};
  const auto count = static_cast<std::size_t>(head - tail);
  const auto begin = static_cast<std::size_t>(tail % ring.size());
  const std::size_t first = std::min(count, ring.size() - begin);
  std::vector<std::byte> made(ring.begin() + static_cast<std::ptrdiff_t>(begin),
                              ring.begin() + static_cast<std::ptrdiff_t>(begin + first));
  made.insert(made.end(), ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(count - first));
  return made;
}

bool is_from_memory(std::uint64_t source) noexcept {
  // mem_lvl, 14 bits from bit 5: local memory, remote memory one or two hops away, and 1 if nothing is known.
  constexpr std::uint64_t level_unknown = 0x01;
  constexpr std::uint64_t from_memory = 0x80 | 0x100 | 0x200;
  // mem_lvl_num, 4 bits from bit 33, since 4.14: memory beyond the package (CXL), memory, persistent memory.
  constexpr std::uint64_t number_of_cxl = 0x9;
  constexpr std::uint64_t number_of_memory = 0xd;
  constexpr std::uint64_t number_of_persistent = 0xe;
  const std::uint64_t level = source >> 5 & 0x3fff;
  const std::uint64_t number = source >> 33 & 0xf;
  if (source == 0 || (level & from_memory) != 0) return true;
  if (number == number_of_cxl || number == number_of_memory || number == number_of_persistent) return true;
  return level == level_unknown && (number == 0 || number == 0xf);
}

}  // namespace nearfork
