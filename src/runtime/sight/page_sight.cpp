#include "runtime/sight/page_sight.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <set>
#include <utility>

#include "base/text/message_text.hpp"
#include "runtime/recording/data_names.hpp"

namespace nearfork {
namespace {

constexpr std::size_t most_watched = 256;
constexpr std::size_t most_shown = 64;
/// To ask for a page takes 0.1 to 0.25 us, so one look takes about a millisecond.
constexpr std::uint64_t pages_at_once = 4096;
constexpr std::size_t pages_of_call = 512;
constexpr std::uint64_t looks_without_pace = 4;
constexpr std::uint64_t times_the_cost = 100;

std::uint64_t count_at(const std::vector<std::uint64_t>& of, unsigned node) {
  return node < of.size() ? of[node] : 0;
}

std::vector<std::uint64_t> in_columns(const std::vector<std::uint64_t>& by_number, const std::vector<unsigned>& nodes) {
  std::vector<std::uint64_t> made;
  for (const unsigned node : nodes) made.push_back(count_at(by_number, node));
  return made;
}

void add_to(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& more) {
  sums.resize(std::max(sums.size(), more.size()), 0);
  for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

}  // namespace

page_sight::page_sight(facts of, page_asker ask, clock now)
    : facts_(std::move(of)), ask_(std::move(ask)), now_(now), blocks_(most_watched, pages_at_once, facts_.page_bytes) {}

void page_sight::after_iteration(const std::string& region, const region_memory* memory, detail::iteration_log* log,
                                 bool moved) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    const bool has_hints = log != nullptr && log->notes_hints() && log->whole();
    if (has_hints) {
      if (memory != nullptr) blocks_.take_living(memory->living());
      if (log->records())
        for_each_name_since(log->recorded().names_since, [&](const named_data& one) {
          blocks_.take_named(one.begin, one.begin + one.bytes, one.name);
        });
      watch_hinted(*log, blocks_);
    }
    if (moved || is_due()) look(memory);
    if (has_hints) take_hints(region, *log);
  } catch (const std::bad_alloc&) {
    return;
  }
}

void page_sight::take_hints(const std::string& region, detail::iteration_log& log) {
  for (auto& [begin, block] : blocks_.living())
    if (!block.looked_at) ask_for(block);
  hinted_traffic made =
      traffic_of(log, blocks_, facts_.domain_of_worker, static_cast<std::uint32_t>(facts_.domains.size()));
  if (!made.of_block.empty() || made.unplaced_bytes > 0) traffic_.insert_or_assign(region, std::move(made));
}

bool page_sight::is_due() const noexcept {
  return looks_ < looks_without_pace || now_() - looked_at_ns_ >= times_the_cost * last_look_ns_;
}

void page_sight::look(const region_memory* memory) {
  const std::uint64_t began_ns = now_();
  if (memory != nullptr) blocks_.take_living(memory->living());
  for (auto& [begin, block] : blocks_.living()) ask_for(block);
  ++looks_;
  looked_at_ns_ = now_();
  last_look_ns_ = looked_at_ns_ - began_ns;
  looking_ns_ += last_look_ns_;
}

/// What the system does not tell once, it does not tell later. Memory that the program has freed stays where it was.
void page_sight::ask_for(watched_block& block) {
  std::vector<int>& nodes = block.pages.nodes();
  std::vector<std::byte*> asked;
  std::vector<int> lie;
  for (std::size_t first = 0; first < nodes.size() && refused_.empty(); first += asked.size()) {
    asked.clear();
    for (std::size_t i = first; i < std::min(nodes.size(), first + pages_of_call); ++i)
      asked.push_back(reinterpret_cast<std::byte*>(block.pages.address_of(i)));
    lie.assign(asked.size(), nowhere);
    if (const int refused = ask_(asked, lie); refused != 0) {
      refused_ = "move_pages: " + with_number(refused);
      return;
    }
    for (std::size_t i = 0; i < lie.size(); ++i)
      if (lie[i] != -EFAULT) nodes[first + i] = std::max(lie[i], nowhere);
    asked_pages_ += asked.size();
  }
  block.looked_at = refused_.empty();
  if (block.first.empty()) block.first = counts_by_node(nodes);  // empty: it was not touched yet
}

std::vector<unsigned> page_sight::nodes_seen() const {
  std::set<unsigned> made(facts_.nodes.begin(), facts_.nodes.end());
  const auto add = [&](const std::vector<std::uint64_t>& counts) {
    for (unsigned i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) made.insert(i);
  };
  for (const watched_block* const one : blocks_.all()) {
    add(one->first);
    add(counts_by_node(one->pages.nodes()));
  }
  return {made.begin(), made.end()};
}

void page_sight::add_traffic(places_report& into) const {
  std::vector<std::vector<std::uint64_t>> sums(facts_.domains.size());
  for (const auto& [region, one] : traffic_) {
    into.unplaced_bytes += one.unplaced_bytes;
    for (std::size_t i = 0; i < sums.size(); ++i) add_to(sums[i], one.to_node[i]);
  }
  into.hinted_regions = traffic_.size();
  for (const auto& one : sums) into.traffic.push_back(in_columns(one, into.nodes));
}

places_report page_sight::report(const region_memory* memory) {
  const std::lock_guard lock(mutex_);
  look(memory);
  places_report made{.looks = looks_,
                     .asked_pages = asked_pages_,
                     .looking_ns = looking_ns_,
                     .nodes = nodes_seen(),
                     .note = refused_.empty() ? std::string() : refused_ + "; see nearfork doctor"};
  for (const seen_domain& one : facts_.domains) made.node_of_domain.push_back(one.node);
  const std::vector<const watched_block*> all = blocks_.all();
  made.blocks_left_out = blocks_.left_out() + all.size() - std::min(all.size(), most_shown);
  std::size_t unnamed = 0;
  for (const watched_block* const one : all) {
    if (made.blocks.size() == most_shown) break;
    block_places& block = made.blocks.emplace_back();
    block.name = !one->name.empty() ? one->name
                 : one->number > 0  ? "block " + std::to_string(one->number)
                                    : "data " + std::to_string(++unnamed);
    block.bytes = one->end - one->begin;
    block.pages = one->pages.pages();
    block.asked = one->looked_at ? one->pages.asked() : 0;
    block.first = in_columns(one->first, made.nodes);
    block.last = in_columns(counts_by_node(one->pages.nodes()), made.nodes);
    block.hinted_bytes.assign(facts_.domains.size(), 0);
    for (const auto& [region, of] : traffic_)
      if (const auto found = of.of_block.find(one->id); found != of.of_block.end())
        add_to(block.hinted_bytes, found->second);
  }
  add_traffic(made);
  return made;
}

}  // namespace nearfork
