// Compares per-node pools with malloc: the same blocks, by the same threads, in turn. The thread that allocates a block
// stamps it; the thread that frees the block checks the stamp. Judge by the ratios: the target is 1.2 at most.
// usage: node_pools [REPETITIONS]
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "memory/pools/node_pools.hpp"

namespace {

using steady = std::chrono::steady_clock;

struct by_malloc {
  static void* allocate(std::size_t bytes) {
    void* const made = std::malloc(bytes);
    if (made == nullptr) throw std::bad_alloc();
    return made;
  }
  static void release(void* block, std::size_t) noexcept { std::free(block); }
};

struct by_pools {
  static void* allocate(std::size_t bytes) { return pools().allocate(nearfork::node_id{0}, bytes, 16); }
  static void release(void* block, std::size_t bytes) noexcept { pools().deallocate(block, bytes); }
  static nearfork::node_pools& pools() {
    static nearfork::node_pools& all = nearfork::process_node_pools();
    return all;
  }
};

/// A block and its size. The first word of the block is its stamp: the complement of the block's own address.
struct stamped {
  std::uintptr_t* block = nullptr;
  std::uint32_t bytes = 0;
};

template <class By>
stamped make(std::size_t bytes) {
  auto* const block = static_cast<std::uintptr_t*>(By::allocate(bytes));
  *block = ~reinterpret_cast<std::uintptr_t>(block);
  return {block, static_cast<std::uint32_t>(bytes)};
}

std::atomic<std::uint64_t> spoiled{0};

template <class By>
void end(stamped one) noexcept {
  if (*one.block != ~reinterpret_cast<std::uintptr_t>(one.block)) spoiled.fetch_add(1, std::memory_order_relaxed);
  By::release(one.block, one.bytes);
}

/// Allocates `blocks` blocks, then frees them in the same order, again and again.
template <class By>
void batches(std::size_t bytes, std::size_t blocks, std::size_t frees) {
  std::vector<stamped> live(blocks);
  for (std::size_t done = 0; done < frees; done += blocks) {
    for (auto& one : live) one = make<By>(bytes);
    for (const auto& one : live) end<By>(one);
  }
}

/// A table of blocks of all sizes up to `most_bytes`, small sizes more often; each step replaces a random block.
template <class By>
void mixed(std::size_t most_bytes, std::size_t blocks, std::size_t frees) {
  nearfork::rng draw(7);
  const auto any_size = [&] {
    const std::uint64_t drawn = draw.next();
    std::size_t bound = most_bytes;
    for (std::uint64_t coins = drawn >> 32; bound > 16 && (coins & 1) != 0; coins >>= 1) bound /= 2;
    return 8 + (drawn & 0xffff'ffff) % (bound - 7);
  };
  std::vector<stamped> live(blocks);
  for (auto& one : live) one = make<By>(any_size());
  for (std::size_t done = 0; done < frees; ++done) {
    stamped& one = live[draw.next() % blocks];
    end<By>(one);
    one = make<By>(any_size());
  }
  for (const auto& one : live) end<By>(one);
}

/// One producer, one consumer. Indices are passed on by 32, so that the blocks are measured and not the ring.
class ring {
 public:
  void put(stamped one) noexcept {
    while (put_ - taken_seen_ == slots) wait_for(taken_, taken_seen_);
    items_[put_++ % slots] = one;
    if (put_ % 32 == 0) put_shared_.store(put_, std::memory_order_release);
  }
  stamped take() noexcept {
    while (took_ == put_seen_) wait_for(put_shared_, put_seen_);
    const stamped one = items_[took_++ % slots];
    if (took_ % 32 == 0) taken_.store(took_, std::memory_order_release);
    return one;
  }

 private:
  static constexpr std::size_t slots = 1024;
  static void wait_for(const std::atomic<std::uint64_t>& shared, std::uint64_t& seen) noexcept {
    const std::uint64_t before = seen;
    for (int looks = 0; (seen = shared.load(std::memory_order_acquire)) == before; ++looks)
      if (looks > 100) std::this_thread::yield();
  }

  std::array<stamped, slots> items_;
  alignas(128) std::atomic<std::uint64_t> put_shared_{0};
  alignas(128) std::atomic<std::uint64_t> taken_{0};
  alignas(128) std::uint64_t put_ = 0;
  std::uint64_t taken_seen_ = 0;
  alignas(128) std::uint64_t took_ = 0;
  std::uint64_t put_seen_ = 0;
};

template <class Body>
void on_threads(unsigned threads, Body body) {
  if (threads == 1) return body(0U);
  std::vector<std::jthread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back([=] { body(i); });
}

/// The first thread allocates, the second thread frees.
template <class By>
void one_way(std::size_t bytes, std::size_t frees) {
  auto passed = std::make_unique<ring>();
  on_threads(2, [&passed = *passed, bytes, frees](unsigned thread) {
    for (std::size_t i = 0; i < frees / 32 * 32; ++i)
      if (thread == 0) passed.put(make<By>(bytes));
      else end<By>(passed.take());
  });
}

/// Both threads allocate for each other: each frees only blocks that the other made.
template <class By>
void both_ways(std::size_t bytes, std::size_t frees) {
  auto rings = std::make_unique<std::array<ring, 2>>();
  on_threads(2, [&rings = *rings, bytes, frees](unsigned thread) {
    constexpr std::size_t at_a_time = 512;
    for (std::size_t i = 0; i < frees / 2 / at_a_time; ++i) {
      for (std::size_t k = 0; k < at_a_time; ++k) rings[thread].put(make<By>(bytes));
      for (std::size_t k = 0; k < at_a_time; ++k) end<By>(rings[1 - thread].take());
    }
  });
}

/// Remote frees with one thread at a time: a thread makes all blocks and ends, then the caller frees them.
template <class By>
void left_behind(std::size_t bytes, std::size_t blocks, std::size_t frees) {
  std::vector<stamped> live(blocks);
  for (std::size_t done = 0; done < frees; done += blocks) {
    std::jthread([&] {
      for (auto& one : live) one = make<By>(bytes);
    }).join();
    for (const auto& one : live) end<By>(one);
  }
}

struct scenario {
  std::string name;
  unsigned threads;
  std::size_t frees;  // per thread; for remote frees, of both threads together
  void (*by_malloc)(const scenario&);
  void (*by_pools)(const scenario&);
  std::size_t bytes;
  std::size_t blocks;
};

template <class By>
void run_batches(const scenario& of) {
  on_threads(of.threads, [&of](unsigned) { batches<By>(of.bytes, of.blocks, of.frees); });
}
template <class By>
void run_mixed(const scenario& of) {
  on_threads(of.threads, [&of](unsigned) { mixed<By>(of.bytes, of.blocks, of.frees); });
}
template <class By>
void run_one_way(const scenario& of) {
  one_way<By>(of.bytes, of.frees);
}
template <class By>
void run_both_ways(const scenario& of) {
  both_ways<By>(of.bytes, of.frees);
}
template <class By>
void run_left_behind(const scenario& of) {
  left_behind<By>(of.bytes, of.blocks, of.frees);
}

/// Scenarios with one thread come first: glibc does without atomics until a program starts its first thread.
std::vector<scenario> scenarios() {
  std::vector<scenario> all;
  for (const unsigned threads : {1U, 2U}) {
    const auto batch = [&](std::size_t bytes, std::size_t blocks, std::size_t frees) {
      all.push_back({std::to_string(blocks).append(" of ").append(std::to_string(bytes)).append(" bytes at a time"),
                     threads, frees, run_batches<by_malloc>, run_batches<by_pools>, bytes, blocks});
    };
    batch(64, 1, 1'000'000);
    batch(64, 100, 1'000'000);
    batch(64, 10'000, 500'000);
    batch(1024, 100, 500'000);
    batch(1024, 1'000, 300'000);
    batch(32'768, 50, 100'000);
    for (const std::size_t most : {512UL, 4096UL, 65536UL})
      all.push_back({"sizes mixed up to " + std::to_string(most), threads, 300'000, run_mixed<by_malloc>,
                     run_mixed<by_pools>, most, 2000});
  }
  for (const std::size_t bytes : {64UL, 1024UL, 16384UL}) {
    const std::size_t frees = bytes > 4096 ? 100'000 : 400'000;
    const auto named = [&](std::string what) { return std::move(what.append(std::to_string(bytes)).append(" bytes")); };
    all.push_back({named("producer, consumer: "), 2, frees, run_one_way<by_malloc>, run_one_way<by_pools>, bytes, 0});
    all.push_back(
        {named("both free the other's: "), 2, frees, run_both_ways<by_malloc>, run_both_ways<by_pools>, bytes, 0});
  }
  all.push_back({"of a thread that ended: 64 bytes", 1, 200'000, run_left_behind<by_malloc>, run_left_behind<by_pools>,
                 64, 10'000});
  return all;
}

double ns_per_free(void (*run)(const scenario&), const scenario& of) {
  const auto before = steady::now();
  run(of);
  return std::chrono::duration<double, std::nano>(steady::now() - before).count() / static_cast<double>(of.frees);
}

double median(std::vector<double> of) {
  std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
  return of[of.size() / 2];
}

double measure(const scenario& of, unsigned repetitions) {
  std::vector<double> malloc_ns, pools_ns, ratios;
  for (unsigned i = 0; i <= repetitions; ++i) {
    const double theirs = ns_per_free(of.by_malloc, of);
    const double ours = ns_per_free(of.by_pools, of);
    if (i == 0) continue;  // the first round touches the pages for the first time
    malloc_ns.push_back(theirs);
    pools_ns.push_back(ours);
    ratios.push_back(ours / theirs);
  }
  const auto [low, high] = std::ranges::minmax(ratios);
  std::printf("%-34s %u thread%s  malloc %8.2f ns  pools %8.2f ns  ratio %5.2f  (%.2f to %.2f)\n", of.name.c_str(),
              of.threads, of.threads == 1 ? " " : "s", median(malloc_ns), median(pools_ns), median(ratios), low, high);
  std::fflush(stdout);
  return median(ratios);
}

}  // namespace

int main(int count, char** arguments) {
  const int asked = count > 1 ? std::atoi(arguments[1]) : 11;
  if (asked < 1) {
    std::fprintf(stderr, "node_pools: the number of repetitions must be 1 or more, not \"%s\"\n", arguments[1]);
    return 2;
  }
  try {
    std::printf("allocate, write, check and free a block; medians of %d interleaved repetitions\n", asked);
    double worst = 0;
    for (const scenario& one : scenarios()) worst = std::max(worst, measure(one, static_cast<unsigned>(asked)));
    std::printf("worst ratio %.2f\n", worst);
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "node_pools: %s\n", failed.what());
    return 1;
  }
  if (const auto wrong = spoiled.load(); wrong > 0) {
    std::fprintf(stderr, "node_pools: %llu blocks were overwritten by others\n",
                 static_cast<unsigned long long>(wrong));
    return 1;
  }
}
