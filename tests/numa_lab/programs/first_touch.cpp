// In the first iteration under laws, does first touch put the pages where the plan's shares say? The kernel counts the
// pages.
// usage: first_touch [LEAST PERCENT OF PAGES THAT MUST LIE RIGHT]   without a percentage, pages are only counted
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/lab_verdict.hpp"
#include "plan/plans/domain_share.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t pages_per_domain = 512;
constexpr std::size_t leaf_pages = 8;

/// Halves like heat's rows; a leaf touches its pages.
void touch_all(fresh_pages& memory, std::size_t first, std::size_t last) {
  if (last - first > leaf_pages) {
    const std::size_t middle = first + (last - first) / 2;
    fork_join([&] { touch_all(memory, first, middle); }, [&] { touch_all(memory, middle, last); });
    return;
  }
  for (std::size_t page = first; page < last; ++page) memory.touch(page);
}

struct census {
  std::map<unsigned, std::size_t> pages_on;  // by the system's number of the node
  std::size_t right = 0;
  std::size_t judged = 0;  // pages of domains whose own node has memory
};

/// The node from which first touch by a core of the page's domain takes memory; nullopt if that node has no memory.
std::optional<unsigned> planned_node(const machine& on, std::span<const double> borders, data_share share) {
  const auto& home = on.domains()[domain_with_most(borders, share)].home;
  if (!home || on.at(*home).capacity_bytes == 0) return std::nullopt;
  return number_of(on.at(*home).os);
}

census count(const machine& on, const std::vector<page_node>& nodes, verdict& result) {
  census found;
  const auto borders = even_borders(static_cast<std::uint32_t>(on.domains().size()));
  const auto pages = static_cast<double>(nodes.size());
  for (std::size_t page = 0; page < nodes.size(); ++page) {
    if (!nodes[page]) {
      result.fault("page {} was touched and is not there", page);
      continue;
    }
    ++found.pages_on[*nodes[page]];
    const auto at = static_cast<double>(page);
    const auto planned = planned_node(on, borders, {at / pages, (at + 1) / pages});
    if (!planned) continue;
    ++found.judged;
    if (*planned == *nodes[page]) ++found.right;
  }
  return found;
}

int run(std::optional<double> least_percent) {
  verdict result;
  config settings = config::from_environment();
  settings.policy = "laws";
  runtime rt(settings);
  const machine& here = *live_machine();
  const std::size_t pages = pages_per_domain * here.domains().size();
  fresh_pages memory(pages);
  rt.run([&] { region("census", [&] { touch_all(memory, 0, pages); }); });

  const census found = count(here, memory.nodes(), result);
  if (found.judged == 0) {
    result.fault("no domain has memory of its own: nothing to judge");
    return result.status();
  }
  const double percent = 100 * static_cast<double>(found.right) / static_cast<double>(found.judged);
  fmt::print("{} of {} pages ({:.1f} %) lie on their domain's node;", found.right, found.judged, percent);
  for (const auto& [node, count_there] : found.pages_on) fmt::print(" node {}: {}", node, count_there);
  fmt::print("\n");
  if (least_percent && percent < *least_percent) result.fault("at least {:.1f} % must lie there", *least_percent);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  return nearfork::lab::exit_status_of(
      [&] { return nearfork::lab::run(count > 1 ? std::optional(std::atof(arguments[1])) : std::nullopt); });
}
