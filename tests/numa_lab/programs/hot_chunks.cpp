// Does a source of hotness find the hot tenth of an array, and do chunks then lie where the plan of bats says? Asks the
// kernel for the node of each page.
// usage: hot_chunks SOURCE   as option hotness calls it
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/nodes/page_split.hpp"
#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/lab_verdict.hpp"
#include "plan/policies/bats_policy.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t leaves = 64;
constexpr std::size_t pages_of_leaf = 16;
constexpr std::size_t pages = leaves * pages_of_leaf;
constexpr std::size_t hot_pages = pages / 10;  // the first ones, which lie on slow nodes at first
/// So long that windows of any source fit in, under emulation, too: as many rounds over the hot pages, and seconds. On
/// a busy machine the emulator stands still, and seconds alone tell nothing.
constexpr std::uint64_t gauged_rounds = 200'000;
constexpr std::chrono::seconds gauged_for{12};
constexpr std::chrono::seconds gauged_at_most{60};
/// A changed plan must stay for some iterations before data follow it.
constexpr unsigned most_iterations = 40;
constexpr const char* region_name = "hot";

/// What bats has gauged and planned last.
struct seen_and_planned {
  gauging seen{};
  data_parts parts{};
};

/// bats, whose profiles and plans can be looked at.
class watched_bats final : public policy {
 public:
  explicit watched_bats(std::shared_ptr<seen_and_planned> notes) : notes_(std::move(notes)) {}
  std::string_view name() const override { return bats_.name(); }
  policy_needs needs() const override { return bats_.needs(); }
  plan first(const machine& where, const region_facts& facts) const override { return bats_.first(where, facts); }
  plan next(const machine& where, const profile& measured, const plan& previous) const override {
    plan made = bats_.next(where, measured, previous);
    *notes_ = {measured.gauged(), made.data()};
    return made;
  }
  search_order order(const machine& where, phase now) const override { return bats_.order(where, now); }

 private:
  bats_policy bats_{"bats", {.by_bandwidth = true, .balanced = true, .located = true}};
  std::shared_ptr<seen_and_planned> notes_;
};

/// All pages once, and the hot ones over and over, by one worker: the emulator gives processors turns of up to 100 ms
/// while they have work. With eight at work DAMON's mark, a use and DAMON's look fell in one order so rarely that hot
/// pages were seen 0 to 7 times in twelve seconds, and some never; with one at work each is seen 27 to 38 times.
class hot_program {
 public:
  void iterate(runtime& on) {
    is_gauged_ = iterations_++ == 0;
    began_ = std::chrono::steady_clock::now();
    on.run([&] {
      region({.name = region_name, .input_bytes = data_.size_bytes()}, [&] {
        parallel_for(std::size_t{0}, leaves, [&](std::size_t leaf) {
          for (std::size_t i = 0; i < pages_of_leaf; ++i) touch(leaf * pages_of_leaf + i);
          do use_hot_pages();
          while (leaf == 0 && goes_on());
        });
      });
    });
  }
  void check_answer(verdict& result) const {
    for (std::size_t i = 0; i < pages; ++i)
      if (data_[i * page_bytes()] != static_cast<unsigned char>(iterations_))
        result.fault("page {} has {}, not {}", i, data_[i * page_bytes()], iterations_);
  }
  [[nodiscard]] std::vector<page_node> nodes() const { return nodes_of_pages(data_.data(), data_.size_bytes()); }

 private:
  bool goes_on() {
    const auto ran = std::chrono::steady_clock::now() - began_;
    const std::uint64_t rounds = rounds_.fetch_add(1, std::memory_order_relaxed);
    return is_gauged_ && ran < gauged_at_most && (ran < gauged_for || rounds < gauged_rounds);
  }
  /// Each page counts its touches in one byte, and the hot ones count the rounds in another: a page that was only read
  /// would be the zero page of the system, which no source sees.
  void touch(std::size_t page) { counter(page, 0).fetch_add(1, std::memory_order_relaxed); }
  void use_hot_pages() {
    for (std::size_t i = 0; i < hot_pages; ++i) counter(i, 1).fetch_add(1, std::memory_order_relaxed);
  }
  std::atomic_ref<unsigned char> counter(std::size_t page, std::size_t byte) {
    return std::atomic_ref<unsigned char>(data_[page * page_bytes() + byte]);
  }

  array<unsigned char> data_{pages * page_bytes(), {.huge = huge_pages::never}};
  unsigned iterations_ = 0;
  bool is_gauged_ = false;
  std::chrono::steady_clock::time_point began_{};
  std::atomic<std::uint64_t> rounds_{0};
};

/// The hottest tenth of the chunks must be the hot one. A few may differ: a worker stands still, or a page is sampled
/// by its neighbours.
void judge_heat(const gauging& seen, verdict& result) {
  std::vector<data_chunk> hottest = seen.chunks;
  if (hottest.size() < 10) return result.fault("{} chunks were gauged", hottest.size());
  std::ranges::sort(hottest, std::ranges::greater(), &data_chunk::heat);
  std::uint64_t taken = 0;
  std::uint64_t right = 0;
  for (const data_chunk& one : hottest) {
    if (taken >= hot_pages) break;
    taken += one.end - one.begin;
    if (one.begin < hot_pages) right += std::min<std::uint64_t>(one.end, hot_pages) - one.begin;
  }
  fmt::print("{} of {} hot pages found; ", right, hot_pages);
  if (right * 10 < hot_pages * 9) result.fault("the hottest tenth is not the hot one");
}

/// How many pages lie where the plan says; 0 if it moves nothing.
std::size_t pages_in_place(const machine& where, const data_parts& planned, const std::vector<page_node>& found) {
  if (planned.moves.empty()) return 0;
  const block_extent extent{.bytes = pages * page_bytes(), .page_bytes = page_bytes()};
  const page_split split =
      with_moves(split_at(extent, planned.borders, planned.nodes), planned.moves.front().block, planned.moves);
  std::size_t right = 0;
  for (std::size_t i = 0; i < pages; ++i)
    if (found[i] == number_of(where.at(node_of(split, i)).os)) ++right;
  return right;
}

int watch_and_move(const std::string& source) {
  verdict result;
  config settings = config::from_environment();
  settings.set("policy", "bats");
  settings.set("hotness", source);
  settings.set("hotness_cost", "1000");  // under emulation a look takes up to a second
  const auto where = live_machine();
  const auto notes = std::make_shared<seen_and_planned>();
  runtime rt(settings, std::make_unique<scheduler>(settings, where, std::make_unique<watched_bats>(notes)));
  hot_program program;
  std::size_t in_place = 0;
  for (unsigned i = 0; i < most_iterations && in_place < pages; ++i) {
    program.iterate(rt);
    if (i == 0) judge_heat(notes->seen, result);
    in_place = pages_in_place(*where, notes->parts, program.nodes());
  }
  program.check_answer(result);
  const run_report report = rt.report();
  if (in_place < pages) {
    result.fault("{} of {} pages lie as planned, with {} moves", in_place, pages, notes->parts.moves.size());
    fmt::print("{}", to_text(report));
  }
  if (report.regions.at(0).moved_bytes == 0) result.fault("nothing moved");
  for (const std::string& line : report.regions.at(0).why)
    if (line.starts_with("hotness: ")) fmt::print("{}; ", line);
  fmt::print("{} moves, all pages in place: {}\n", notes->parts.moves.size(), in_place == pages);
  return result.status();
}

/// On a busy machine the emulator may give the thread that looks no turn while pages are used: one attempt in which
/// all is right is enough.
int run(const std::string& source) {
  constexpr int attempts = 3;
  for (int i = 1;; ++i) {
    const int status = watch_and_move(source);
    if (status == 0 || i == attempts) return status;
    fmt::print("attempt {} of {} failed\n", i, attempts);
  }
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print("usage: hot_chunks SOURCE\n");
    return 2;
  }
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(arguments[1]); });
}
