// How a schedule is printed: memory orders and values.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "model/explorer.hpp"

namespace nearfork::model {

inline std::string number_text(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, value < 4096 ? "%llu" : "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

inline const char* name_of(memory_order order) {
  static constexpr const char* names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return names[static_cast<std::size_t>(order)];
}

}  // namespace nearfork::model
