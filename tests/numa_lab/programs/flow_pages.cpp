// Dataflow with deferred allocation and pushing: does each task's output lie on the node that ran the task, and do
// tasks run where their inputs lie? Asks the kernel for the node of each page, and for the one that the thread is on.
// usage: flow_pages LEAST_PERCENT   of the output's pages that must lie on the node of their producer
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/nearfork.hpp>

#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/kernel_view/thread_place.hpp"
#include "numa_lab/lab_verdict.hpp"

namespace nearfork::lab {
namespace {

using number = std::uint64_t;

/// Blocks of a whole page each for 64 pages: four times the size from which on tasks are pushed.
constexpr std::size_t pages_per_block = 64;
constexpr std::size_t blocks_per_worker = 4;
constexpr unsigned steps = 12;

/// What the tasks saw.
struct sightings {
  explicit sightings(std::size_t blocks) : producer(std::make_unique<std::atomic<unsigned>[]>(blocks * (steps + 1))) {}
  std::unique_ptr<std::atomic<unsigned>[]> producer;  // by step and block: the node that ran the task
  std::atomic<std::uint64_t> pages{0};
  std::atomic<std::uint64_t> beside_producer{0};
  std::atomic<std::uint64_t> local_pages{0};  // of inputs, on the node of their reader
};

void look_at(std::span<const number> block, unsigned producer, sightings& into) {
  const unsigned here = place_of_this_thread().node;
  for (const page_node& one : nodes_of_pages(block.data(), block.size_bytes())) {
    into.pages.fetch_add(1);
    if (one == producer) into.beside_producer.fetch_add(1);
    if (one == here) into.local_pages.fetch_add(1);
  }
}

/// Each block is counted up by one task after the other, each in a buffer of its own. Each task waits for a number of
/// another block's task, too: so the worker that ends what it waits for last is often on another node than its block.
int run(double least_percent) {
  verdict result;
  runtime rt;
  const std::size_t blocks = blocks_per_worker * rt.workers();
  const std::size_t numbers = pages_per_block * page_bytes() / sizeof(number);
  sightings seen(blocks);
  std::atomic<std::uint64_t> right{0};
  rt.run([&] {
    dataflow graph;
    std::vector<buffer<number>> before;
    std::vector<buffer<number>> tokens;
    for (std::size_t b = 0; b < blocks; ++b) {
      before.push_back(graph.buffer<number>(numbers));
      tokens.push_back(graph.buffer<number>(1));
      graph.task({out(before[b]), out(tokens[b])}, [&, b](std::span<number> to, std::span<number> token) {
        std::ranges::fill(to, b);
        token[0] = 0;
        seen.producer[b] = place_of_this_thread().node;
      });
    }
    for (unsigned s = 1; s <= steps; ++s) {
      std::vector<buffer<number>> after;
      std::vector<buffer<number>> next_tokens;
      for (std::size_t b = 0; b < blocks; ++b) {
        after.push_back(graph.buffer<number>(numbers));
        next_tokens.push_back(graph.buffer<number>(1));
        graph.task({in(before[b]), in(tokens[(b + blocks / 2) % blocks]), out(after[b]), out(next_tokens[b])},
                   [&, b, s](std::span<const number> from, std::span<const number> token, std::span<number> to,
                             std::span<number> next_token) {
                     look_at(from, seen.producer[(s - 1) * blocks + b], seen);
                     seen.producer[s * blocks + b] = place_of_this_thread().node;
                     std::ranges::transform(from, to.begin(), [](number one) { return one + 1; });
                     next_token[0] = token[0] + 1;
                   });
      }
      before = std::move(after);
      tokens = std::move(next_tokens);
    }
    for (std::size_t b = 0; b < blocks; ++b)
      graph.task({in(before[b]), in(tokens[b])}, [&, b](std::span<const number> last, std::span<const number> token) {
        const auto is_right = [&](number one) { return one == b + steps; };
        if (std::ranges::all_of(last, is_right) && token[0] == steps) right.fetch_add(1);
      });
    graph.sync();
  });
  if (right != blocks) result.fault("{} of {} blocks are right", right.load(), blocks);
  const auto share = [&](std::uint64_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(seen.pages);
  };
  const run_report report = rt.report();
  const dataflow_report& told = report.dataflow;
  fmt::print(
      "{} of {} pages ({:.1f} %) on the node of their producer; {:.1f} % on the node of their reader; {} tasks pushed, "
      "{} "
      "stayed, {} robbed, {} of them from afar\n",
      seen.beside_producer.load(), seen.pages.load(), share(seen.beside_producer), share(seen.local_pages), told.pushed,
      told.stayed, told.robbed, told.robbed_far);
  if (share(seen.beside_producer) < least_percent)
    result.fault("at least {:.1f} % must lie on the node of their producer", least_percent);
  if (told.push != "none" && told.pushed == 0) result.fault("no task was pushed");
  // Runtime and kernel must agree where tasks read their blocks; the last tasks did not look.
  const double page = static_cast<double>(page_bytes());
  const double unseen = static_cast<double>(blocks * pages_per_block) * page;
  const double remote = static_cast<double>(seen.pages - seen.local_pages) * page;
  if (const auto counted = static_cast<double>(told.remote_bytes); counted < remote || counted > remote + unseen)
    result.fault("{} bytes of inputs were remote, as the kernel says; the report says {}", remote, counted);
  for (const degradation& one : report.degradations)
    if (one.what.find("buffers") != std::string::npos) result.fault("{}: {}", one.what, one.why);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print("usage: flow_pages LEAST_PERCENT\n");
    return 2;
  }
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(std::stod(arguments[1])); });
}
