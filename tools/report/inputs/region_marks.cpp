#include "tools/report/inputs/region_marks.hpp"

#include <algorithm>
#include <utility>

#include "base/text/number_text.hpp"

namespace nearfork::tools {

std::size_t region_marks::place_of(std::string_view region) {
  const auto found =
      std::ranges::find(courses_, region, [](const course& one) -> std::string_view { return one.view.name; });
  if (found != courses_.end()) return static_cast<std::size_t>(found - courses_.begin());
  courses_.push_back({{.name = std::string(region)}, {}, {}});
  return courses_.size() - 1;
}

region_marks::iteration_name region_marks::begin(const slice_facts& slice, std::uint64_t at_ns) {
  constexpr std::string_view before_name = "region ";
  const std::size_t place = place_of(slice.name.substr(std::min(before_name.size(), slice.name.size())));
  course& one = courses_[place];
  std::vector<iteration_view>& all = one.view.iterations;
  const std::uint64_t number = parse_number(slice.number, any_number).value_or(all.size() + 1);
  if (slice.goes_on) {
    const auto begun = std::ranges::find(all.rbegin(), all.rend(), number, &iteration_view::number);
    if (begun != all.rend()) return {place, static_cast<std::size_t>(all.rend() - begun) - 1};
  }
  all.push_back({.number = number, .kind = std::string(slice.kind), .why = std::exchange(one.pending, {})});
  one.begins_ns.push_back(at_ns);
  return {place, all.size() - 1};
}

void region_marks::end(iteration_name which, std::uint64_t at_ns, std::string_view how) {
  course& one = courses_[which.course];
  const std::uint64_t begin = one.begins_ns[which.iteration];
  iteration_view& iteration = one.view.iterations[which.iteration];
  iteration.time_ns = std::max(iteration.time_ns, at_ns < begin ? 0.0 : static_cast<double>(at_ns - begin));
  if (!how.empty()) iteration.why += (iteration.why.empty() ? "it ended " : "; it ended ") + std::string(how);
}

void region_marks::changed(std::string_view region, const std::string& why) {
  std::string& pending = courses_[place_of(region)].pending;
  pending += (pending.empty() ? "" : "; ") + why;
}

std::vector<region_marks::window> region_marks::windows() const {
  std::vector<window> all;
  for (const course& one : courses_)
    for (std::size_t i = 0; i < one.begins_ns.size(); ++i)
      all.push_back({one.begins_ns[i], one.begins_ns[i] + static_cast<std::uint64_t>(one.view.iterations[i].time_ns)});
  std::ranges::sort(all, {}, &window::begin_ns);
  std::vector<window> made;
  for (const window& one : all) {
    if (made.empty() || one.begin_ns > made.back().end_ns) made.push_back(one);
    else made.back().end_ns = std::max(made.back().end_ns, one.end_ns);
  }
  return made;
}

std::vector<course_view> region_marks::courses() const {
  std::vector<course_view> made;
  for (const course& one : courses_) {
    course_view view = one.view;
    double sum = 0;
    std::size_t counted = 0;
    const bool any_steady =
        std::ranges::any_of(view.iterations, [](const auto& each) { return each.kind == "steady"; });
    for (const iteration_view& each : view.iterations)
      if (each.kind != "profile" && each.kind != "trial" && (!any_steady || each.kind == "steady")) {
        sum += each.time_ns;
        ++counted;
      }
    if (counted > 0) view.each_ns = sum / static_cast<double>(counted);
    view.ran = view.iterations.size();
    made.push_back(std::move(view));
  }
  return made;
}

}  // namespace nearfork::tools
