// Every way to allocate, free and resize.
#pragma once

#include <cstddef>

namespace nearfork::test {

/// True if a placed block begins at the address.
[[nodiscard]] bool is_placed(const void* begin);

inline constexpr std::size_t large = std::size_t{3} << 20;
inline constexpr std::size_t small = 1000;

void check_c_functions();
void check_operators();
void check_resizing();
void check_refusals();

}  // namespace nearfork::test
