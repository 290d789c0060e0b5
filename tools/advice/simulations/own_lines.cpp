#include "tools/advice/simulations/own_lines.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

namespace nearfork::tools {
namespace {

using recordings::data_access;

constexpr std::uint64_t bytes_of_line = 64;
constexpr std::size_t most_borders = std::size_t{1} << 20;
/// Of an access with more pieces the distance between pieces is made longer instead.
constexpr std::uint64_t most_single_pieces = 4096;

struct written_piece {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t task;
};

std::vector<written_piece> writes_to(std::uint32_t block, const recordings::task_graph& graph) {
  std::vector<written_piece> made;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i)
      for (const data_access& one : graph.work(task, i).accesses) {
        if (one.kind != recordings::access_kind::write || one.block != block) continue;
        for (std::uint64_t piece = 0; piece < std::min(one.count, most_single_pieces); ++piece) {
          const std::uint64_t begin = one.begin_byte + piece * one.stride_bytes;
          made.push_back({begin, begin + one.size_bytes, task});
        }
      }
  return made;
}

/// Where writes begin whose bytes lie behind those of another task.
void add_borders(std::vector<std::uint64_t>& to, std::vector<written_piece> writes) {
  std::ranges::sort(writes, {}, [](const written_piece& one) { return std::tuple(one.begin, one.end, one.task); });
  for (std::size_t i = 1; i < writes.size(); ++i)
    if (writes[i].task != writes[i - 1].task && writes[i].begin >= writes[i - 1].end) to.push_back(writes[i].begin);
}

/// Where each byte of the block goes.
class padded_block {
 public:
  explicit padded_block(const std::vector<std::uint64_t>& borders) {
    for (const std::uint64_t border : borders) {
      const std::uint64_t at = place_of(border);
      begins_.emplace_back(border, (at + bytes_of_line - 1) / bytes_of_line * bytes_of_line);
    }
  }
  [[nodiscard]] std::uint64_t place_of(std::uint64_t byte) const {
    const auto after = std::ranges::upper_bound(begins_, byte, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
    if (after == begins_.begin()) return byte;
    const auto& [from, to] = *std::prev(after);
    return to + (byte - from);
  }
  /// As one access or, if its pieces lie at unequal distances now, as several.
  void move(const data_access& one, std::vector<data_access>& to) const {
    const auto moved = [&](std::uint64_t begin, std::uint64_t bytes) {
      data_access made = one;
      made.begin_byte = place_of(begin);
      made.size_bytes = bytes == 0 ? 0 : place_of(begin + bytes - 1) + 1 - made.begin_byte;
      made.count = 1;
      made.stride_bytes = 0;
      return made;
    };
    if (one.count <= 1) return to.push_back(moved(one.begin_byte, one.size_bytes));
    if (one.count <= most_single_pieces) {
      for (std::uint64_t i = 0; i < one.count; ++i)
        to.push_back(moved(one.begin_byte + i * one.stride_bytes, one.size_bytes));
      return;
    }
    data_access made = moved(one.begin_byte, one.size_bytes);
    made.count = one.count;
    made.stride_bytes =
        (place_of(one.begin_byte + (one.count - 1) * one.stride_bytes) - made.begin_byte) / (one.count - 1);
    to.push_back(made);
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> begins_;  // where parts begin, and where they go
};

recordings::task_graph moved(const recordings::task_graph& graph, std::uint32_t block, const padded_block& to) {
  recordings::task_graph made;
  std::vector<std::uint32_t> branching;
  std::vector<data_access> accesses;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
    branching.clear();
    for (const auto& fork : graph.forks(task)) branching.push_back(fork.branching);
    made.add_task(branching);
    for (std::uint32_t i = 0; i <= branching.size(); ++i) {
      const auto work = graph.work(task, i);
      accesses.clear();
      for (const data_access& one : work.accesses) {
        if (one.block == block) to.move(one, accesses);
        else accesses.push_back(one);
      }
      made.add_stretch(work.time_ns, accesses);
    }
  }
  made.order_by(graph.flow());
  return made;
}

}  // namespace

std::optional<recordings::recording> with_own_lines(const recordings::recording& recorded, std::uint32_t block) {
  std::vector<std::uint64_t> borders;
  for (const recordings::region& region : recorded.regions)
    if (!region.recorded.empty()) add_borders(borders, writes_to(block, region.recorded.back().graph));
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  if (borders.size() > most_borders) return std::nullopt;
  const padded_block padded(borders);
  recordings::recording made = recorded;
  if (std::uint64_t& bytes = made.blocks.at(block).bytes; bytes > 0) bytes = padded.place_of(bytes - 1) + 1;
  for (recordings::region& region : made.regions)
    for (recordings::iteration& one : region.recorded) one.graph = moved(one.graph, block, padded);
  return made;
}

}  // namespace nearfork::tools
