#include "machine/model/packed_parts.hpp"

#include "base/value_bytes.hpp"

namespace nearfork {

std::string packed_parts(const machine_parts& parts) {
  return bytes_of_value(parts);
}

machine_parts unpacked_parts(std::string_view bytes) {
  return value_of_bytes<machine_parts>(bytes);
}

}  // namespace nearfork
