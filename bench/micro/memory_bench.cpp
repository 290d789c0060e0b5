// The cost of finding the placed block of an address, and of making a placed block. Each benchmark checks its answer.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "base/rng.hpp"
#include "memory/placed/placed_memory.hpp"

namespace {

using nearfork::array;

/// `count` blocks, and addresses inside them in random order.
struct blocks_and_addresses {
  explicit blocks_and_addresses(std::size_t count) {
    nearfork::rng random(1);
    for (std::size_t i = 0; i < count; ++i) blocks.emplace_back(nearfork::placed_from_bytes);
    for (int i = 0; i < 4096; ++i) {
      const auto block = random.below(static_cast<std::uint32_t>(count));
      addresses.push_back(blocks[block].data() + random.below(static_cast<std::uint32_t>(nearfork::placed_from_bytes)));
    }
  }
  std::vector<array<char>> blocks;
  std::vector<const char*> addresses;
};

void find_placed_block(benchmark::State& state) {
  const blocks_and_addresses made(static_cast<std::size_t>(state.range(0)));
  const nearfork::placed_memory& memory = nearfork::process_memory();
  std::size_t i = 0;
  for (auto _ : state) {
    const auto found = memory.find(made.addresses[i++ % made.addresses.size()]);
    if (!found) state.SkipWithError("not found");
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(find_placed_block)->ArgName("blocks")->Arg(1)->Arg(100)->Arg(10'000);

void find_what_is_not_placed(benchmark::State& state) {
  const blocks_and_addresses made(100);
  const std::vector<char> heap(4096);
  const nearfork::placed_memory& memory = nearfork::process_memory();
  std::size_t i = 0;
  for (auto _ : state) {
    const auto found = memory.find(heap.data() + i++ % heap.size());
    if (found) state.SkipWithError("found");
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(find_what_is_not_placed);

void make_and_free_block(benchmark::State& state) {
  for (auto _ : state) {
    array<char> made(static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(made.data());
  }
}
BENCHMARK(make_and_free_block)->ArgName("bytes")->Arg(1 << 20)->Arg(1 << 30);

void malloc_and_free(benchmark::State& state) {
  for (auto _ : state) {
    void* const made = std::malloc(static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(made);
    std::free(made);
  }
}
BENCHMARK(malloc_and_free)->ArgName("bytes")->Arg(1 << 20)->Arg(1 << 30);

template <class Then>
void make_fill_and_free(benchmark::State& state, const Then& then) {
  for (auto _ : state) {
    {
      array<std::uint64_t> made(static_cast<std::size_t>(state.range(0)) / sizeof(std::uint64_t));
      for (std::uint64_t& one : made) one += 1;
      if (made[made.size() - 1] != 1) state.SkipWithError("not fresh");
    }
    then();
  }
}

/// The cost for a program that makes, fills and frees an array in each iteration.
void make_fill_and_free_on_new_pages(benchmark::State& state) {
  const auto reused = [] { return nearfork::process_memory().totals().blocks_reused; };
  nearfork::process_memory().give_back_kept();
  const std::uint64_t before = reused();
  make_fill_and_free(state, [] { nearfork::process_memory().give_back_kept(); });
  if (reused() != before) state.SkipWithError("on kept pages");
}
BENCHMARK(make_fill_and_free_on_new_pages)->ArgName("bytes")->Arg(1 << 20)->Arg(16 << 20)->Arg(64 << 20);

void make_fill_and_free_on_kept_pages(benchmark::State& state) {
  make_fill_and_free(state, [] {});
}
BENCHMARK(make_fill_and_free_on_kept_pages)->ArgName("bytes")->Arg(1 << 20)->Arg(16 << 20)->Arg(64 << 20);

void calloc_fill_and_free(benchmark::State& state) {
  for (auto _ : state) {
    const std::size_t count = static_cast<std::size_t>(state.range(0)) / sizeof(std::uint64_t);
    auto* const made = static_cast<std::uint64_t*>(std::calloc(count, sizeof(std::uint64_t)));
    for (std::size_t i = 0; i < count; ++i) made[i] += 1;
    if (made[count - 1] != 1) state.SkipWithError("not fresh");
    benchmark::DoNotOptimize(made);
    std::free(made);
  }
}
BENCHMARK(calloc_fill_and_free)->ArgName("bytes")->Arg(1 << 20)->Arg(16 << 20)->Arg(64 << 20);

void region_iteration(benchmark::State& state) {
  nearfork::config settings;
  settings.workers = 1;
  nearfork::runtime runtime(settings);
  std::vector<array<char>> blocks;
  for (std::int64_t i = 0; i < state.range(0); ++i) blocks.emplace_back(nearfork::placed_from_bytes);
  runtime.run([&] {
    for (auto _ : state) nearfork::region("empty", [] {});
  });
}
BENCHMARK(region_iteration)->ArgName("blocks")->Arg(0)->Arg(10);

}  // namespace
