#include "tools/sim/scale.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint32_t scales[] = {2, 4, 8, 16, 32, 64};

/// Beyond this an access costs a fifth more than it should, and a cache holds a fifth less.
constexpr double most_excess = 1.2;

std::uint64_t lines_of(const sim::data_access& one, std::uint64_t line_bytes) {
  if (one.size_bytes == 0) return 0;
  return (one.begin_byte + one.size_bytes - 1) / line_bytes - one.begin_byte / line_bytes + 1;
}

}  // namespace

std::string scale_text(std::uint32_t lines) {
  return fmt::format("1/{}", lines);
}

std::vector<std::string> scale_names() {
  std::vector<std::string> names;
  for (const std::uint32_t one : scales) names.push_back(scale_text(one));
  return names;
}

std::uint32_t scale_called(const std::string& name) {
  if (name.empty()) return 1;
  for (const std::uint32_t one : scales)
    if (scale_text(one) == name) return one;
  throw error("nearfork: --scale " + nearfork::quoted(name) + ": there is no such scale" +
              suggestion(name, scale_names()));
}

double scaled_excess(const sim::program& what, std::uint64_t line_bytes, std::uint64_t least_bytes) {
  double scaled = 0;
  double exact = 0;
  for (const sim::task_graph& graph : what.graphs)
    for (std::uint32_t task = 0; task < graph.size(); ++task)
      for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i)
        for (const sim::data_access& one : graph.work(tree_node{task}, i).accesses) {
          scaled += static_cast<double>(lines_of(one, line_bytes) * line_bytes);
          exact += static_cast<double>(lines_of(one, least_bytes) * least_bytes);
        }
  return exact == 0 ? 1 : scaled / exact;
}

void check_scale(const sim::program& what, const simulated_machine& where) {
  const std::uint32_t lines = where.model.line_stands_for;
  if (lines == 1) return;
  const std::uint64_t line_bytes = where.model.line_bytes;
  const auto excess = [&](std::uint32_t scale) {
    return scaled_excess(what, line_bytes / lines * scale, line_bytes / lines);
  };
  if (excess(lines) <= most_excess) return;
  std::uint32_t possible = lines;
  while (possible > 1 && excess(possible) > most_excess) possible /= 2;
  throw error(fmt::format(
      "nearfork: --scale {}: in lines of {} bytes the accesses of {} touch {:.2f} times what they need, because they "
      "are "
      "short; {}",
      scale_text(lines), line_bytes, what.name, excess(lines),
      possible > 1 ? "choose --scale " + scale_text(possible) : std::string("simulate it without --scale")));
}

}  // namespace nearfork::tools
