#include "runtime/sight/hinted_traffic.hpp"

#include <algorithm>

#include "runtime/recording/hint_pieces.hpp"

namespace nearfork {
namespace {

/// More asked pages of a piece are not looked at.
constexpr std::uint64_t most_probes = 64;

class traffic_sum {
 public:
  traffic_sum(watched_blocks& blocks, std::uint32_t domains) : blocks_(blocks), domains_(domains) {
    made_.to_node.resize(domains);
  }

  void add(const recordings::data_access& hint, std::uint32_t domain) {
    for_each_piece(hint, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
      add_piece(begin, end, bytes, domain);
    });
  }
  [[nodiscard]] hinted_traffic take() && { return std::move(made_); }

 private:
  void add_piece(std::uintptr_t begin, std::uintptr_t end, std::uint64_t bytes, std::uint32_t domain) {
    const watched_block* const block = blocks_.at(begin);
    if (block == nullptr) {
      made_.unplaced_bytes += bytes;
      return;
    }
    auto& by_domain = made_.of_block[block->id];
    by_domain.resize(domains_, 0);
    by_domain[domain] += bytes;
    const page_sample& pages = block->pages;
    const std::uint64_t first = pages.asked_for(begin);
    const std::uint64_t probes = pages.asked_for(std::min(end, block->end) - 1) - first + 1;
    if (probes > most_probes) return spread(pages, first, probes, bytes, domain);
    std::uint64_t left = bytes;
    for (std::uint64_t i = first; i < first + probes; ++i) {
      const std::uintptr_t next = i + 1 < first + probes ? pages.address_of(i + 1) : end;
      const std::uintptr_t from = i == first ? begin : pages.address_of(i);
      const auto share = static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(next - from) /
                                                    static_cast<double>(end - begin));
      const std::uint64_t here = i + 1 < first + probes ? std::min(left, share) : left;
      count(pages.nodes()[i], here, domain);
      left -= here;
    }
  }
  void spread(const page_sample& pages, std::uint64_t first, std::uint64_t asked, std::uint64_t bytes,
              std::uint32_t domain) {
    for (std::uint64_t i = 0; i < most_probes; ++i)
      count(pages.nodes()[first + i * asked / most_probes], bytes * (i + 1) / most_probes - bytes * i / most_probes,
            domain);
  }
  void count(int node, std::uint64_t bytes, std::uint32_t domain) {
    if (node < 0) {
      made_.unplaced_bytes += bytes;
      return;
    }
    auto& row = made_.to_node[domain];
    if (row.size() <= static_cast<std::size_t>(node)) row.resize(static_cast<std::size_t>(node) + 1, 0);
    row[static_cast<std::size_t>(node)] += bytes;
  }

  watched_blocks& blocks_;
  const std::uint32_t domains_;
  hinted_traffic made_{};
};

}  // namespace

void watch_hinted(detail::iteration_log& log, watched_blocks& into) {
  for (detail::worker_log& one : log.logs())
    one.accesses.for_each([&](const detail::noted_access& noted) {
      const recordings::data_access& hint = noted.access;
      into.take_touched(hint.begin_byte, hint.begin_byte + extent_bytes(hint));
    });
}

hinted_traffic traffic_of(detail::iteration_log& log, watched_blocks& blocks,
                          const std::vector<std::uint32_t>& domain_of_worker, std::uint32_t domains) {
  traffic_sum sum(blocks, domains);
  for (std::size_t worker = 0; worker < log.logs().size() && worker < domain_of_worker.size(); ++worker)
    if (domain_of_worker[worker] < domains)
      log.logs()[worker].accesses.for_each(
          [&](const detail::noted_access& noted) { sum.add(noted.access, domain_of_worker[worker]); });
  return std::move(sum).take();
}

}  // namespace nearfork
