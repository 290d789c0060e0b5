// The synthetic program with which Drebes et al. (PACT 2016, section 6.2) ask what the kernel's migration of pages
// does: threads sweep over buffers that lie on other nodes, and get other buffers after some sweeps. Asks the kernel
// where the pages lie, and how many it has moved.
// usage: migrated_pages off|on SWEEPS CHANGES
//   off: no page moves. on: if the last owner sweeps on, most pages come to lie beside it.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "machine/live/pinning.hpp"
#include "machine/model/machine.hpp"
#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/kernel_view/thread_place.hpp"
#include "numa_lab/lab_verdict.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t pages_of_buffer = 64;
constexpr std::size_t line_bytes = 64;
/// Until most pages have moved. A time, because the kernel scans by time: 8000 sweeps were over on a fast host before
/// it came to some buffer.
constexpr std::chrono::seconds longest_wait{60};

/// What the kernel has counted since it booted.
std::uint64_t pages_migrated() {
  std::ifstream counts("/proc/vmstat");
  std::string name;
  for (std::uint64_t count = 0; counts >> name >> count;)
    if (name == "numa_pages_migrated") return count;
  return 0;
}

/// Pages that are private to the program and have no policy: the kernel leaves pages alone that a program has bound.
class swept_buffer {
 public:
  swept_buffer() : memory_(std::make_unique_for_overwrite<std::byte[]>((pages_of_buffer + 1) * page_bytes())) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
    first_ = memory_.get() + (page_bytes() - at % page_bytes()) % page_bytes();
  }
  void begin() noexcept {
    for (std::size_t at = 0; at < bytes(); at += line_bytes) word(at) = 0;
  }
  void sweep() noexcept {
    for (std::size_t at = 0; at < bytes(); at += line_bytes) word(at) = word(at) + 1;
    ++sweeps_;
  }
  [[nodiscard]] bool is_right() const noexcept {
    for (std::size_t at = 0; at < bytes(); at += line_bytes)
      if (word(at) != sweeps_) return false;
    return true;
  }
  [[nodiscard]] std::size_t pages_on(unsigned node) const {
    const std::vector<page_node> found = nodes_of_pages(first_, bytes());
    return static_cast<std::size_t>(std::ranges::count(found, page_node(node)));
  }

 private:
  [[nodiscard]] static std::size_t bytes() noexcept { return pages_of_buffer * page_bytes(); }
  [[nodiscard]] volatile std::uint64_t& word(std::size_t at) const noexcept {
    return *reinterpret_cast<volatile std::uint64_t*>(first_ + at);
  }

  std::unique_ptr<std::byte[]> memory_;
  std::byte* first_;
  std::uint64_t sweeps_ = 0;
};

class migration_program {
 public:
  migration_program(bool migrates, unsigned sweeps, unsigned changes)
      : migrates_(migrates),
        sweeps_(sweeps),
        threads_(static_cast<unsigned>(live_machine()->cores().size())),
        sets_(changes),
        together_(threads_),
        beside_(changes) {
    for (auto& set : sets_) set = std::vector<swept_buffer>(threads_);
  }

  int run() {
    const std::uint64_t before = pages_migrated();
    std::vector<std::thread> crew;
    for (unsigned i = 0; i < threads_; ++i) crew.emplace_back([this, i] { work(i); });
    for (std::thread& each : crew) each.join();
    tell(pages_migrated() - before);
    return result_.status();
  }

 private:
  void work(unsigned i) {
    const machine& here = *live_machine();
    if (pin_this_thread(here.at(here.cores()[i].pus.front()).os) != 0) result_.fault("thread {} cannot be pinned", i);
    const unsigned node = place_of_this_thread().node;
    // Far from its owner: half of the threads lie between them.
    for (auto& set : sets_) set[(i + threads_ / 2) % threads_].begin();
    for (std::size_t change = 0; change < sets_.size(); ++change) {
      swept_buffer& mine = sets_[change][i];
      together_.arrive_and_wait();
      for (unsigned sweep = 0; sweep < sweeps_; ++sweep) mine.sweep();
      together_.arrive_and_wait();
      beside_[change] += mine.pages_on(node);
    }
    sweep_on(sets_.back()[i], node);
    for (auto& set : sets_)
      if (!set[i].is_right()) result_.fault("a buffer of thread {} has a wrong number", i);
  }

  /// Until most pages of the last buffer lie on `node`, if pages migrate.
  void sweep_on(swept_buffer& mine, unsigned node) {
    unsigned rounds = 0;
    const auto until = std::chrono::steady_clock::now() + longest_wait;
    while (migrates_ && std::chrono::steady_clock::now() < until && 2 * mine.pages_on(node) < pages_of_buffer) {
      for (unsigned sweep = 0; sweep < sweeps_; ++sweep) mine.sweep();
      ++rounds;
    }
    const std::size_t there = mine.pages_on(node);
    if (migrates_ && 2 * there < pages_of_buffer) result_.fault("{} of {} pages came", there, pages_of_buffer);
    for (unsigned seen = most_.load(); seen < rounds && !most_.compare_exchange_weak(seen, rounds);) {
    }
  }

  void tell(std::uint64_t moved) {
    std::size_t beside = 0;
    for (const auto& each : beside_) beside += each;
    if (!migrates_ && moved != 0) result_.fault("the kernel has moved {} pages", moved);
    if (!migrates_ && beside != 0) result_.fault("{} pages lie beside their owner", beside);
    if (migrates_ && moved == 0) result_.fault("the kernel counts no page that it moved");
    fmt::print(
        "{} threads, {} changes of {} sweeps: {:.1f} % of the pages beside their owner at the end of its sweeps; "
        "after at most {} more sweeps half of each last buffer; the kernel has moved {} pages\n",
        threads_, sets_.size(), sweeps_,
        100.0 * static_cast<double>(beside) / static_cast<double>(sets_.size() * threads_ * pages_of_buffer),
        most_.load() * sweeps_, moved);
  }

  const bool migrates_;
  const unsigned sweeps_;
  const unsigned threads_;
  std::vector<std::vector<swept_buffer>> sets_;
  std::barrier<> together_;
  std::vector<std::atomic<std::size_t>> beside_;  // pages, by change
  std::atomic<unsigned> most_{0};                 // rounds after the last change
  verdict result_;
};

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  const std::string_view kernel = count == 4 ? arguments[1] : "";
  if (kernel != "on" && kernel != "off") {
    fmt::print("usage: migrated_pages off|on SWEEPS CHANGES\n");
    return 2;
  }
  return nearfork::lab::exit_status_of([&] {
    return nearfork::lab::migration_program(kernel == "on", static_cast<unsigned>(std::stoul(arguments[2])),
                                            static_cast<unsigned>(std::stoul(arguments[3])))
        .run();
  });
}
