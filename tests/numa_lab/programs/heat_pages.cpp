// Heat on placed arrays: is the answer right, and do the pages lie where the policy's plan says?
// usage: heat_pages LEAST_PERCENT   of the pages that must lie on the node of their domain
//        heat_pages --unseen        where the kernel may not be asked for nodes
#include <cstdlib>
#include <exception>
#include <string>

#include <nearfork/nearfork.hpp>

#include "numa_lab/placed_heat.hpp"
#include "plan/plans/domain_share.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t rows_per_domain = 64;
constexpr unsigned iterations = 8;

void judge_pages(runtime& on, const placed_heat& heat, double least_percent, verdict& result) {
  const std::vector<page_node> found = heat.pages();
  const auto planned = planned_nodes(heat, even_borders(on.report().domains), first_touch_nodes(on));
  const std::size_t right = pages_as_planned(found, planned);
  const std::uint64_t planned_iterations = on.report().regions.front().planned;
  const double percent = 100 * static_cast<double>(right) / static_cast<double>(found.size());
  fmt::print("{}: {} iterations of {} planned, {} of {} pages ({:.1f} %) on the node of their domain; {}\n",
             on.report().policy, planned_iterations, iterations, right, found.size(), percent, counted(found));
  if (percent < least_percent) result.fault("at least {:.1f} % must lie there", least_percent);
  if (least_percent > 0 && planned_iterations + 1 < iterations)
    result.fault("all iterations but the first must be planned");
}

int run(const std::string& asked) {
  verdict result;
  runtime rt;
  placed_heat heat(rows_per_domain * rt.report().domains);
  for (unsigned i = 0; i < iterations; ++i) heat.iterate(rt);
  heat.check_answer(result);
  if (asked != "--unseen") judge_pages(rt, heat, std::atof(asked.c_str()), result);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print("usage: heat_pages LEAST_PERCENT|--unseen\n");
    return 2;
  }
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(arguments[1]); });
}
