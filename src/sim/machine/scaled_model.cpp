#include "sim/machine/scaled_model.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/text/number_text.hpp"
#include "sim/machine/cache_layout.hpp"

namespace nearfork::sim {
namespace {

void require_sensible(const machine& where, std::uint64_t line_bytes, std::uint32_t lines) {
  const auto caches = caches_of(where).caches;
  const auto least = std::ranges::min_element(caches, {}, &cache_instance::size_bytes);
  if (least == caches.end() || least->size_bytes / line_bytes >= fewest_scaled_lines) return;
  std::uint32_t possible = lines;
  while (possible > 1 && least->size_bytes / (line_bytes / lines * possible) < fewest_scaled_lines) possible /= 2;
  throw error("nearfork: at a scale of 1/" + std::to_string(lines) + " an L" + std::to_string(least->level) + " of " +
              where.provenance() + ", of " + size_text(least->size_bytes) + " bytes, would have " +
              std::to_string(least->size_bytes / line_bytes) + " lines of " + std::to_string(line_bytes) +
              " bytes, fewer than " + std::to_string(fewest_scaled_lines) +
              (possible > 1 ? "; choose 1/" + std::to_string(possible) : "; simulate it without a scale"));
}

}  // namespace

machine_model scaled(const machine& where, const machine_model& model, std::uint32_t lines) {
  machine_model made = model;
  made.line_bytes *= lines;
  made.page_bytes = std::max(model.page_bytes, made.line_bytes);
  made.line_stands_for = model.line_stands_for * lines;
  if (lines > 1) require_sensible(where, made.line_bytes, lines);
  const auto of_all = [lines](std::vector<std::uint64_t>& times_ps) {
    for (std::uint64_t& one : times_ps) one *= lines;
  };
  for (core_model& kind : made.kinds) of_all(kind.hit_ps);
  of_all(made.memory_ps);
  of_all(made.write_ps);
  of_all(made.side_ps);
  for (side_cache_model& one : made.side_caches) one.line_ps *= lines;
  of_all(made.node_line_ps);
  for (link_model& one : made.between.links) one.line_ps *= lines;
  made.invalidation_ps *= lines;
  return made;
}

}  // namespace nearfork::sim
