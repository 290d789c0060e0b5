// Readings of the hardware that runs this program: loads that wait for each other, sweeps, and a line that goes back
// and forth.
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "base/text/message_text.hpp"
#include "machine/live/pinning.hpp"
#include "tools/topo/chained_instructions.hpp"
#include "tools/topo/kernel_clock.hpp"
#include "tools/topo/measured_hardware.hpp"
#include "tools/topo/measured_loops.hpp"

namespace nearfork::tools {
namespace {

using steady = std::chrono::steady_clock;
constexpr std::size_t line_bytes = 64;

double seconds_since(steady::time_point before) {
  return std::chrono::duration<double>(steady::now() - before).count();
}

/// Uses the value: the compiler must compute it, and knows nothing about it afterwards.
template <class Value>
void keep(Value& value) {
  asm volatile("" : "+r"(value));
}

/// Calls `act` on a new thread that runs on `pu`.
reading on_pu(os_index pu, const std::function<reading()>& act) {
  reading made;
  std::thread([&] {
    if (const int refused = pin_this_thread(pu); refused != 0)
      made.why = "cannot run on PU " + std::to_string(number_of(pu)) + ": " + with_number(refused);
    else made = act();
  }).join();
  return made;
}

/// usual: what programs get that do not ask. huge: if there are any; a latency with small pages includes translation.
enum class page_sort : std::uint8_t { usual, huge };

/// Whole lines, on one node if requested.
class placed_memory {
 public:
  explicit placed_memory(memory_of wanted, page_sort pages = page_sort::huge)
      : bytes_(wanted.bytes / line_bytes * line_bytes) {
    begin_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin_ == MAP_FAILED) {
      why_ = "no memory: " + with_number(errno);
      return;
    }
    if (pages == page_sort::huge) (void)::madvise(begin_, bytes_, MADV_HUGEPAGE);
    if (wanted.node) bind(number_of(*wanted.node));
  }
  ~placed_memory() {
    if (begin_ != MAP_FAILED) ::munmap(begin_, bytes_);
  }
  placed_memory(const placed_memory&) = delete;
  placed_memory& operator=(const placed_memory&) = delete;

  [[nodiscard]] const std::string& why_not() const noexcept { return why_; }
  [[nodiscard]] std::size_t lines() const noexcept { return bytes_ / line_bytes; }
  [[nodiscard]] char* line(std::size_t i) noexcept { return static_cast<char*>(begin_) + i * line_bytes; }

 private:
  void bind(unsigned node) {
    constexpr unsigned bits = 8 * sizeof(unsigned long);
    std::vector<unsigned long> nodes(node / bits + 1, 0);
    nodes.back() = 1UL << node % bits;
    // The kernel ignores the last bit.
    if (::syscall(SYS_mbind, begin_, bytes_, MPOL_BIND, nodes.data(), nodes.size() * bits + 1, 0) != 0)
      why_ = "memory cannot be bound to node " + std::to_string(node) + ": " + with_number(errno);
  }

  std::size_t bytes_;
  void* begin_ = MAP_FAILED;
  std::string why_;
};

/// Each line holds the address of the next, in a single circle of random order (Sattolo's shuffle).
void link_in_circle(placed_memory& memory, std::uint64_t seed) {
  std::vector<std::uint32_t> order(memory.lines());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  rng random(seed);
  for (auto i = static_cast<std::uint32_t>(order.size()); i-- > 1;) std::swap(order[i], order[random.below(i)]);
  for (std::size_t i = 0; i < order.size(); ++i) {
    void* const next = memory.line(order[i]);
    std::memcpy(memory.line(i), static_cast<const void*>(&next), sizeof next);
  }
}

/// The median of many short readings: those in which another program had the core do not count. There must be at least
/// one.
double median(std::vector<double>& of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

/// Goes from line to line until the time is over. Returns nanoseconds per load. The address stays in a register: in an
/// array it took one more store and load per line, 4 cycles on some cores and none on those that rename memory.
double walk(placed_memory& memory, double seconds) {
  constexpr int between_looks = 500;
  const void* at = memory.line(0);
  std::vector<double> each_ns;
  const auto began = steady::now();
  do {
    const auto before = steady::now();
    for (int i = 0; i < between_looks; ++i) std::memcpy(static_cast<void*>(&at), at, sizeof at);
    keep(at);
    each_ns.push_back(seconds_since(before) * 1e9 / between_looks);
  } while (seconds_since(began) < seconds);
  return median(each_ns);
}

/// As walk(), in many places of the circle at once.
double walk_scattered(placed_memory& memory, double seconds) {
  constexpr std::size_t walkers = 64;  // more than the miss buffers of any core
  constexpr int steps_between_looks = 20;
  std::array<const void*, walkers> at{};
  for (std::size_t i = 0; i < walkers; ++i) at[i] = memory.line(i * memory.lines() / walkers);
  std::vector<double> each_ns;
  const auto began = steady::now();
  do {
    const auto before = steady::now();
    for (int step = 0; step < steps_between_looks; ++step)
      for (const void*& one : at) std::memcpy(static_cast<void*>(&one), one, sizeof one);
    for (const void*& one : at) keep(one);
    each_ns.push_back(seconds_since(before) * 1e9 / (steps_between_looks * static_cast<double>(walkers)));
  } while (seconds_since(began) < seconds);
  return median(each_ns);
}

/// Sums `count` lines from `first` on.
std::uint64_t sum_of(placed_memory& memory, std::size_t first, std::size_t count) {
  std::uint64_t sums[4] = {};
  const char* at = memory.line(first);
  for (std::size_t i = 0; i < count; ++i, at += line_bytes) {
    std::uint64_t words[8];
    std::memcpy(words, at, sizeof words);
    for (int w = 0; w < 8; ++w) sums[w % 4] += words[w];
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

/// Two matrices with the same number of rows, one after the other in the memory.
struct two_matrices {
  static constexpr std::size_t columns = 1024;  // as in the papers' programs
  double* first;
  double* second;
  std::size_t rows;

  explicit two_matrices(placed_memory& memory)
      : first(reinterpret_cast<double*>(memory.line(0))),
        rows(memory.lines() * line_bytes / sizeof(double) / columns / 2) {
    second = first + rows * columns;
    std::fill(first, second + rows * columns, 1.0);
  }
  /// The lines of both matrices that a sweep writes or reads.
  [[nodiscard]] double lines() const noexcept {
    return 2 * static_cast<double>((rows - 2) * columns * sizeof(double)) / line_bytes;
  }
  [[nodiscard]] bool too_small() const noexcept { return rows < 4; }
};

/// The median of many calls, each at least some microseconds long, in nanoseconds per call.
template <class Act>
double each_ns(double seconds, std::size_t at_once, Act&& act) {
  std::vector<double> each;
  const auto began = steady::now();
  do {
    const auto before = steady::now();
    for (std::size_t i = 0; i < at_once; ++i) act();
    each.push_back(seconds_since(before) * 1e9 / static_cast<double>(at_once));
  } while (seconds_since(began) < seconds);
  return median(each);
}

/// Runs all chains in turn, so that a clock that changes meanwhile changes for all. Each gets the least of many short
/// stretches: an interrupt, or a clock that is still rising, only makes a stretch longer.
std::vector<chain_reading> timed_chains(double seconds) {
  constexpr int rounds = 300;
  const auto chains = instruction_chains();
  std::vector<double> least_ns(chains.size(), 1e300);
  std::uint64_t value = 1;
  const auto began = steady::now();
  do {
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const auto before = steady::now();
      value = chains[i].run(value, rounds);
      keep(value);
      least_ns[i] = std::min(least_ns[i], seconds_since(before) * 1e9 / (rounds * chained_at_once));
    }
  } while (seconds_since(began) < seconds);
  std::vector<chain_reading> made;
  for (std::size_t i = 0; i < chains.size(); ++i)
    made.push_back({chains[i].instruction, chains[i].cycles / least_ns[i]});
  return made;
}

class live final : public measured_hardware {
 public:
  explicit live(double seconds_each) : seconds_(seconds_each) {}

  clock_readings clocks(os_index pu) override {
    clock_readings made;
    made.why = on_pu(pu, [&] {
                 made.chains = timed_chains(seconds_);
                 made.kernel_ghz = kernel_clock_ghz(pu);  // now, while the core is busy
                 return reading{};
               }).why;
    return made;
  }

  reading load_ns(os_index pu, memory_of where) override { return in_circle(pu, where, walk); }
  reading scattered_ns(os_index pu, memory_of where) override { return in_circle(pu, where, walk_scattered); }

  reading operations_per_ns(os_index pu, std::uint64_t bytes, loop_kind of) override {
    return with_matrices(pu, {.bytes = bytes}, [&](two_matrices& both) {
      const bool all = of == loop_kind::vector;
      const auto sweep = all ? mixed_loops : sweep_every_second;
      const double operations = all ? operations_of_mixed_number : operations_of_swept_number;
      const std::uint64_t inner = (both.rows - 2) * (two_matrices::columns - 2);
      const auto numbers = static_cast<double>(all ? inner : inner / 2);
      const double ns = each_ns(seconds_, 1 + (1 << 18) / bytes,
                                [&] { sweep(both.first, both.second, both.rows, two_matrices::columns); });
      return numbers * operations / ns;
    });
  }

  reading sweep_ns(os_index pu, memory_of where) override {
    return with_matrices(pu, where, [&](two_matrices& both) {
      const auto there = [&] {
        sweep_all(both.first, both.second, both.rows, two_matrices::columns);
        std::swap(both.first, both.second);
      };
      there();
      return each_ns(seconds_, 1 + (1 << 20) / where.bytes, there) / both.lines();
    });
  }

  reading wrong_guess_ns(os_index pu) override {
    return on_pu(pu, [this] {
      // New ones each time: a Zen 5 learns 65536 branches that come again, and halves their cost (3.2 ns, not 5.7).
      std::vector<std::uint8_t> bytes(1 << 16);
      rng random(1);
      const auto time_of = [&](auto&& arranged) {
        std::vector<double> each;
        const auto began = steady::now();
        do {
          for (std::uint8_t& one : bytes) one = static_cast<std::uint8_t>(random.below(2));
          arranged();
          const auto before = steady::now();
          std::uint64_t taken = count_by_branches(bytes);
          keep(taken);
          each.push_back(seconds_since(before) * 1e9);
        } while (seconds_since(began) < seconds_ / 2);
        return median(each);
      };
      const double in_order = time_of([&] { std::ranges::sort(bytes); });
      return reading{std::max(0.0, time_of([] {}) - in_order) / (static_cast<double>(bytes.size()) / 2), {}};
    });
  }

  reading read_gb_per_s(std::span<const os_index> pus, memory_of where) override {
    placed_memory memory(where);
    if (!memory.why_not().empty()) return {std::nullopt, memory.why_not()};
    for (std::size_t i = 0; i < memory.lines(); ++i) *memory.line(i) = 1;
    const std::size_t share = memory.lines() / pus.size();
    if (share == 0) return {std::nullopt, "there is less than a line for each PU"};
    std::vector<double> gb_per_s(pus.size(), 0);
    std::atomic<int> refused{0};
    std::vector<std::thread> readers;
    const auto began = steady::now();
    for (std::size_t i = 0; i < pus.size(); ++i)
      readers.emplace_back([&, i] {
        if (const int why = pin_this_thread(pus[i]); why != 0) refused.store(why);
        gb_per_s[i] = sweep(memory, i * share, share, began);
      });
    for (std::thread& one : readers) one.join();
    if (refused.load() != 0)
      return {std::nullopt, "cannot run on all PUs of the domain: " + with_number(refused.load())};
    double sum = 0;
    for (const double one : gb_per_s) sum += one;
    return {sum, {}};
  }

  reading handover_ns(os_index one, os_index other) override {
    struct alignas(128) ball {
      std::atomic<std::uint32_t> turn{0};
    };
    ball between;
    constexpr std::uint32_t over = 0xffffffff;
    std::atomic<int> refused{0};
    // Both waits are bounded: on a machine that grants less time than it has PUs, one of the threads may not be
    // running.
    std::thread back([&] {
      if (const int why = pin_this_thread(other); why != 0) refused.store(why);
      const auto began = steady::now();
      while (seconds_since(began) < 10 * seconds_ + 1)
        for (int i = 0; i < 1000; ++i) {
          const std::uint32_t now = between.turn.load(std::memory_order_acquire);
          if (now == over) return;
          if (now % 2 == 1) between.turn.store(now + 1, std::memory_order_release);
        }
    });
    reading made = on_pu(one, [&] {
      constexpr std::uint32_t between_looks = 100;
      const auto began = steady::now();
      auto before = began;
      std::uint32_t turns = 0;
      std::vector<double> each_ns;
      while (seconds_since(began) < seconds_)
        for (int i = 0; i < 1000; ++i) {
          if (between.turn.load(std::memory_order_acquire) != turns) continue;
          if (turns > 0 && turns % (2 * between_looks) == 0) {
            each_ns.push_back(seconds_since(before) * 1e9 / (2 * between_looks));
            before = steady::now();
          }
          between.turn.store(turns + 1, std::memory_order_release);
          turns += 2;
        }
      between.turn.store(over, std::memory_order_release);
      if (each_ns.size() < 3) return reading{std::nullopt, "the two PUs hardly ran at the same time"};
      return reading{median(each_ns), {}};
    });
    between.turn.store(over, std::memory_order_release);
    back.join();
    if (refused.load() != 0)
      return {std::nullopt,
              "cannot run on PU " + std::to_string(number_of(other)) + ": " + with_number(refused.load())};
    return made;
  }

 private:
  [[nodiscard]] reading in_circle(os_index pu, memory_of where, double (*walked)(placed_memory&, double)) {
    return on_pu(pu, [&] {
      placed_memory memory(where);
      if (!memory.why_not().empty()) return reading{std::nullopt, memory.why_not()};
      if (memory.lines() < 2) return reading{std::nullopt, "the cache is too small to walk through"};
      link_in_circle(memory, 1);
      (void)walked(memory, seconds_ / 5);
      return reading{walked(memory, seconds_), {}};
    });
  }

  template <class Measure>
  static reading with_matrices(os_index pu, memory_of where, const Measure& measure) {
    return on_pu(pu, [&] {
      placed_memory memory(where, page_sort::usual);
      if (!memory.why_not().empty()) return reading{std::nullopt, memory.why_not()};
      two_matrices both(memory);
      if (both.too_small()) return reading{std::nullopt, "the cache is too small for two matrices"};
      return reading{measure(both), {}};
    });
  }

  /// Sums pieces of a share until the time is over. Returns 1e9 bytes per second.
  [[nodiscard]] double sweep(placed_memory& memory, std::size_t first, std::size_t count,
                             steady::time_point began) const {
    constexpr std::size_t most_at_once = 16384;
    std::vector<double> each;
    std::uint64_t sum = 0;
    std::size_t at = 0;
    do {
      const std::size_t piece = std::min(most_at_once, count - at);
      const auto before = steady::now();
      sum += sum_of(memory, first + at, piece);
      each.push_back(static_cast<double>(piece * line_bytes) / std::max(seconds_since(before), 1e-9) / 1e9);
      at = at + piece == count ? 0 : at + piece;
    } while (seconds_since(began) < seconds_);
    keep(sum);
    return median(each);
  }

  double seconds_;
};

}  // namespace

std::unique_ptr<measured_hardware> live_hardware(double seconds_each) {
  return std::make_unique<live>(seconds_each);
}

}  // namespace nearfork::tools
