// Views and clocks are vectors of numbers, by location or by thread. A number beyond the vector's end is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/explorer.hpp"

namespace nearfork::model {

template <class Vector>
void join_max(Vector& into, const Vector& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

inline std::uint32_t entry(const std::vector<std::uint32_t>& of, std::size_t i) {
  return i < of.size() ? of[i] : 0;
}

inline void raise(std::vector<std::uint32_t>& of, std::size_t i, std::uint32_t to) {
  if (of.size() <= i) of.resize(i + 1, 0);
  of[i] = std::max(of[i], to);
}

inline bool knows_all(const clock& known, const clock& of) {
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] > entry(known, i)) return false;
  return true;
}

}  // namespace nearfork::model
