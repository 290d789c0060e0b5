#include "tools/report/number_words.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace nearfork::tools {
namespace {

template <std::size_t Count>
std::string scaled(double value, double step, const std::string_view (&units)[Count]) {
  std::size_t unit = 0;
  for (; value >= step * 0.99995 && unit + 1 < Count; ++unit) value /= step;
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 100 ? 0 : value < 10 ? 2 : 1, units[unit]);
}

}  // namespace

std::string time_words(double ns) {
  constexpr std::string_view units[] = {"ns", "us", "ms", "s"};
  return scaled(ns, 1000, units);
}

std::string bytes_words(double bytes) {
  constexpr std::string_view units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  return scaled(bytes, 1024, units);
}

std::string part_words(double fraction) {
  return fmt::format("{:.{}f}%", 100 * fraction, fraction < 0.1 && fraction > -0.1 ? 1 : 0);
}

}  // namespace nearfork::tools
