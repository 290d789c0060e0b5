#include "tools/report/inputs/counter_marks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace nearfork::tools {
namespace {

constexpr std::size_t most_counters = 64;
constexpr std::size_t most_points = 2000;  // more are closer than the page's pixels

/// Every second point goes.
void thin_out(std::vector<counter_view::point>& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
}

}  // namespace

void counter_marks::name(std::uint64_t track, const std::string& text) {
  if (courses_.size() < most_counters || courses_.contains(track)) courses_[track].what.name = text;
}

void counter_marks::add(std::uint64_t track, std::uint64_t at_ns, double value) {
  const auto found = courses_.find(track);
  if (found == courses_.end() || !std::isfinite(value)) return;
  course& to = found->second;
  if (to.seen++ % to.step != 0) return;
  to.what.points.push_back({at_ns, value});
  if (to.what.points.size() < most_points) return;
  thin_out(to.what.points);
  to.step *= 2;
}

std::vector<counter_view> counter_marks::views(std::uint64_t first_ns) const {
  std::vector<counter_view> made;
  for (const auto& [track, one] : courses_) {
    if (one.what.points.empty()) continue;
    made.push_back(one.what);
    for (counter_view::point& at : made.back().points) at.at_ns -= std::min(at.at_ns, first_ns);
  }
  return made;
}

}  // namespace nearfork::tools
