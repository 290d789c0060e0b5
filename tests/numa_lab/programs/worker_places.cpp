// Is every worker where the run report says? A task on each worker asks the kernel.
// usage: worker_places [NUMBER OF WORKERS THAT THERE MUST BE]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "numa_lab/every_worker.hpp"
#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/kernel_view/thread_place.hpp"
#include "numa_lab/lab_verdict.hpp"

namespace nearfork::lab {
namespace {

struct answer {
  thread_place place;
  unsigned first_touch = 0;  // the node of a page that the worker touched first
};

answer answer_of_this_thread() {
  fresh_pages page(1);
  page.touch(0);
  return {place_of_this_thread(), page.nodes().front().value()};
}

/// The home of a domain is the node from which first touch by its cores takes memory. A core whose node has no memory
/// has a domain without home, unless hwloc knows a node without cores that is local to the core.
void check_memory(const worker_report& said, const answer& found, verdict& result) {
  const machine& here = *live_machine();
  const auto has_kernels_node = [&](const memory_node& one) { return number_of(one.os) == found.place.node; };
  const auto& home = here.domains().at(said.domain).home;
  if (!home && std::ranges::any_of(here.nodes(), has_kernels_node))
    result.fault("domain {} is said to have no node, and its core is of node {}", said.domain, found.place.node);
  if (home && here.at(*home).capacity_bytes != 0 && number_of(here.at(*home).os) != found.first_touch)
    result.fault("worker {} is said to be of node {}, and its first touch takes memory of node {}", said.index,
                 number_of(here.at(*home).os), found.first_touch);
}

void check_worker(const worker_report& said, const answer& found, verdict& result) {
  if (!said.os_pu) {
    result.fault("worker {} is not bound: {}", said.index, said.pin_note);
    return;
  }
  if (found.place.pu != *said.os_pu)
    result.fault("worker {} is said to be on PU {}, and runs on {}", said.index, *said.os_pu, found.place.pu);
  if (found.place.allowed_pus != std::vector{*said.os_pu})
    result.fault("worker {} is said to be bound to PU {}, and may run on PU {}", said.index, *said.os_pu,
                 fmt::join(found.place.allowed_pus, ", "));
  check_memory(said, found, result);
}

void check_cores_differ(const std::vector<worker_report>& workers, verdict& result) {
  std::set<unsigned> pus;
  for (const worker_report& one : workers)
    if (one.os_pu && !pus.insert(*one.os_pu).second) result.fault("two workers share PU {}", *one.os_pu);
}

int run(std::optional<unsigned> wanted) {
  verdict result;
  runtime rt;
  if (wanted && rt.workers() != *wanted) result.fault("{} workers, and {} are wanted", rt.workers(), *wanted);
  std::vector<answer> answers(rt.workers());
  on_every_worker(rt, [&] { answers[this_worker::index()] = answer_of_this_thread(); });
  const run_report report = rt.report();
  for (const worker_report& said : report.workers) check_worker(said, answers.at(said.index), result);
  check_cores_differ(report.workers, result);
  fmt::print("{} workers in {} domains\n", rt.workers(), report.domains);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  return nearfork::lab::exit_status_of([&] {
    return nearfork::lab::run(count > 1 ? std::optional(static_cast<unsigned>(std::atoi(arguments[1]))) : std::nullopt);
  });
}
