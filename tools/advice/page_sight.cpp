#include "tools/advice/page_sight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace nearfork::tools {
namespace {

/// More rows nobody reads: the largest blocks are shown.
constexpr std::size_t most_blocks = 64;

std::vector<std::vector<double>> empty_cells(std::size_t rows, std::size_t columns) {
  return {rows, std::vector<double>(columns, 0)};
}

}  // namespace

page_sight::page_sight(std::span<const sim::data_array> arrays, std::vector<std::string> blocks,
                       std::vector<std::string> nodes)
    : arrays_(arrays.begin(), arrays.end()),
      blocks_(std::move(blocks)),
      nodes_(std::move(nodes)),
      touched_(empty_cells(arrays_.size(), nodes_.size())),
      traffic_(empty_cells(nodes_.size(), nodes_.size())) {
  blocks_.resize(arrays_.size());
}

void page_sight::see(const sim::page_map& pages, std::uint64_t page_bytes) {
  page_bytes_ = std::max<std::uint64_t>(page_bytes, 1);
  node_of_page_.resize(pages.size());
  for (std::uint64_t i = 0; i < pages.size(); ++i) node_of_page_[i] = pages.node_of(i);
  if (before_.empty()) before_ = pages_by_block();
}

page_sight::cells page_sight::pages_by_block() const {
  cells made = empty_cells(arrays_.size(), nodes_.size());
  for (std::size_t block = 0; block < arrays_.size(); ++block) {
    const sim::data_array& one = arrays_[block];
    const std::uint64_t end = (one.begin_byte + one.size_bytes + page_bytes_ - 1) / page_bytes_;
    for (std::uint64_t page = one.begin_byte / page_bytes_; page < std::min<std::uint64_t>(end, node_of_page_.size());
         ++page)
      if (node_of_page_[page] < nodes_.size()) ++made[block][node_of_page_[page]];
  }
  return made;
}

void page_sight::take_tasks(const sim::task_graph& graph, std::span<const sim::task_run> tasks,
                            std::span<const std::optional<std::uint32_t>> node_of_worker) {
  for (const sim::task_run& task : tasks) {
    if (task.began_on >= node_of_worker.size() || !node_of_worker[task.began_on]) continue;
    const std::uint32_t node = *node_of_worker[task.began_on];
    if (node >= nodes_.size()) continue;
    for (std::uint32_t i = 0; i <= graph.forks(task.task).size(); ++i)
      for (const sim::data_access& one : graph.work(task.task, i).accesses) touch(one, node);
  }
}

void page_sight::touch(const sim::data_access& one, std::uint32_t node) {
  const auto after = std::ranges::upper_bound(arrays_, one.begin_byte, {}, &sim::data_array::begin_byte);
  if (after != arrays_.begin())
    touched_[static_cast<std::size_t>(after - arrays_.begin() - 1)][node] += static_cast<double>(one.size_bytes);
  const std::uint64_t end = one.begin_byte + one.size_bytes;
  for (std::uint64_t at = one.begin_byte; at < end;) {
    const std::uint64_t page = at / page_bytes_;
    const std::uint64_t next = std::min(end, (page + 1) * page_bytes_);
    if (page < node_of_page_.size() && node_of_page_[page] < nodes_.size())
      traffic_[node][node_of_page_[page]] += static_cast<double>(next - at);
    at = next;
  }
}

matrix_view page_sight::by_block(const char* title, const cells& of) const {
  matrix_view made{.title = title, .row_is = "block", .column_is = "node", .rows = {}, .columns = nodes_, .cells = {}};
  std::vector<std::size_t> order(arrays_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return arrays_[i].size_bytes; });
  order.resize(std::min(order.size(), most_blocks));
  for (const std::size_t i : order) {
    made.rows.push_back(blocks_[i].empty() ? fmt::format("block {}", i) : blocks_[i]);
    made.cells.push_back(of.at(i));
  }
  return made;
}

page_map_view page_sight::map() const {
  const cells after = pages_by_block();
  return {.before = by_block("Pages after the first iteration", before_.empty() ? after : before_),
          .after = by_block("Pages at the end", after),
          .tasks = by_block("Bytes that tasks beside the node touch", touched_)};
}

matrix_view page_sight::traffic() const {
  return {.title = "Bytes that tasks touch in the last iteration, caches aside",
          .row_is = "node of the task",
          .column_is = "node of the page",
          .rows = nodes_,
          .columns = nodes_,
          .cells = traffic_};
}

}  // namespace nearfork::tools
