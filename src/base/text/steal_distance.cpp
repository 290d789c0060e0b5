#include <nearfork/detail/steal_distance.hpp>

namespace nearfork {

std::string_view name_of(steal_distance distance) noexcept {
  switch (distance) {
    case steal_distance::core: return "core";
    case steal_distance::cache: return "cache";
    case steal_distance::node: return "node";
    case steal_distance::package: return "package";
    case steal_distance::machine: return "machine";
  }
  return "?";
}

}  // namespace nearfork
