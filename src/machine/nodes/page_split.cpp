#include "machine/nodes/page_split.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <nearfork/error.hpp>

namespace nearfork {
namespace {

auto first_ending_after(const page_split& split, std::uint64_t page) {
  return std::upper_bound(split.begin(), split.end(), page,
                          [](std::uint64_t at, const page_run& run) { return at < run.end; });
}

}  // namespace

void append_run(page_split& to, page_run next) {
  if (next.begin == next.end) return;
  if (!to.empty() && to.back().end == next.begin && to.back().node == next.node) to.back().end = next.end;
  else to.push_back(next);
}

page_split split_at(const block_extent& block, std::span<const double> borders, std::span<const node_id> nodes) {
  assert(borders.size() == nodes.size() + 1);
  const double unit_bytes = static_cast<double>(block.page_bytes * block.pages_of_unit);
  page_split made;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto units =
        static_cast<std::uint64_t>(std::llround(borders[i + 1] * static_cast<double>(block.bytes) / unit_bytes));
    const bool is_last = i + 1 == nodes.size();
    const std::uint64_t end = is_last ? block.pages() : std::clamp(units * block.pages_of_unit, begin, block.pages());
    append_run(made, {begin, end, nodes[i]});
    begin = end;
  }
  return made;
}

std::vector<double> borders_by_weight(std::span<const double> weights) {
  const bool usable = std::ranges::all_of(weights, [](double w) { return std::isfinite(w) && w >= 0; });
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!usable || !std::isfinite(sum) || sum <= 0)
    throw error("nearfork: the weights of memory nodes must not be negative, and one at least must be above 0");
  std::vector<double> borders{0};
  double before = 0;
  for (const double weight : weights) borders.push_back((before += weight) / sum);
  borders.back() = 1;
  return borders;
}

page_split difference(const page_split& before, const page_split& after) {
  if (before.empty()) return after;
  page_split changed;
  auto old = before.begin();
  for (const page_run& now : after) {
    std::uint64_t at = now.begin;
    while (at < now.end) {
      while (old != before.end() && old->end <= at) ++old;
      const std::uint64_t end = old == before.end() ? now.end : std::min(now.end, old->end);
      if (old == before.end() || old->node != now.node) append_run(changed, {at, end, now.node});
      at = end;
    }
  }
  return changed;
}

page_split part_of(const page_split& split, const page_split& pages) {
  page_split made;
  auto said = split.begin();
  for (const page_run& run : pages) {
    while (said != split.end() && said->end <= run.begin) ++said;
    for (auto at = said; at != split.end() && at->begin < run.end; ++at)
      append_run(made, {std::max(at->begin, run.begin), std::min(at->end, run.end), at->node});
  }
  return made;
}

node_id node_of(const page_split& split, std::uint64_t page) noexcept {
  const auto run = first_ending_after(split, page);
  assert(run != split.end() && run->begin <= page);
  return run->node;
}

void add_run(page_split& to, page_run added) {
  if (added.begin == added.end) return;
  if (to.empty() || to.back().end <= added.begin) return append_run(to, added);
  page_split made;
  made.reserve(to.size() + 2);
  bool placed = false;
  for (const page_run& run : to) {
    if (!placed && run.end > added.begin) {
      if (run.begin < added.begin) append_run(made, {run.begin, added.begin, run.node});
      append_run(made, added);
      placed = true;
    }
    const std::uint64_t rest = std::max(run.begin, added.end);
    if (run.end <= added.begin) append_run(made, run);
    else if (rest < run.end) append_run(made, {rest, run.end, run.node});
  }
  if (!placed) append_run(made, added);
  to = std::move(made);
}

std::uint64_t pages_in(const page_split& split) noexcept {
  return std::accumulate(split.begin(), split.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const page_run& run) { return sum + (run.end - run.begin); });
}

}  // namespace nearfork
