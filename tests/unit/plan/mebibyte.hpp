#pragma once

#include <cstdint>

namespace nearfork::test {

inline constexpr std::uint64_t MiB = 1 << 20;

}  // namespace nearfork::test
