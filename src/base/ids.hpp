// Numbers that must not be mixed. A dense id counts from 0 within one machine value. An os_index is the system's number
// of the same thing, with gaps and in any order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearfork {

enum class package_id : std::uint32_t {};
enum class domain_id : std::uint32_t {};
enum class core_id : std::uint32_t {};
enum class pu_id : std::uint32_t {};
enum class node_id : std::uint32_t {};
enum class os_index : std::uint32_t {};

/// The index of a dense id in a vector.
template <class Id>
[[nodiscard]] constexpr std::size_t index_of_id(Id id) noexcept {
  return static_cast<std::size_t>(id);
}
[[nodiscard]] constexpr unsigned number_of(os_index index) noexcept {
  return static_cast<unsigned>(index);
}

}  // namespace nearfork
