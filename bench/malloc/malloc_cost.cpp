// What programs that are left alone pay for libnearfork-malloc.so: one pattern of allocations, named by the argument.
// Prints nanoseconds for each allocation with its release. scripts/bench_malloc.py runs it with the library and
// without, in turns.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

std::uint32_t next_of(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8;
}

/// The worst case: a block that is freed at once, and is never touched.
std::uint64_t pairs(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    void* volatile const block = std::malloc(16 + i % 32 * 16);
    std::free(block);
  }
  return count;
}

/// Blocks of mixed sizes that live for a while; the first bytes of each are written.
std::uint64_t mixed(std::uint64_t count) {
  std::vector<char*> live(4096, nullptr);
  std::uint32_t state = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    char*& slot = live[next_of(state) % live.size()];
    std::free(slot);
    const std::size_t bytes = 16 + next_of(state) % (i % 16 == 0 ? 16'000 : 300);
    slot = static_cast<char*>(std::malloc(bytes));
    std::memset(slot, 1, bytes < 64 ? bytes : 64);
  }
  for (char* const one : live) std::free(one);
  return count;
}

/// What C++ programs do: nodes of a map, texts, vectors that grow. Counts the inserted elements.
std::uint64_t containers(std::uint64_t count) {
  std::uint32_t state = 1;
  std::uint64_t sum = 0;
  for (std::uint64_t done = 0; done < count; done += 1000) {
    std::map<std::uint32_t, std::string> table;
    std::vector<std::string> names;
    for (int i = 0; i < 500; ++i) {
      table[next_of(state) % 400] = std::string(20 + next_of(state) % 50, 'x');
      names.push_back(std::to_string(next_of(state)) + " is a number that was drawn");
    }
    sum += table.size() + names.back().size();
  }
  return sum > 0 ? count : 0;
}

/// Blocks that no library takes from a cache: 1 MiB and more.
std::uint64_t large(std::uint64_t count) {
  count /= 1000;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t bytes = (std::size_t{1} << 20) + i % 8 * 300'000;
    const std::unique_ptr<char, decltype(&std::free)> block(static_cast<char*>(std::malloc(bytes)), &std::free);
    for (std::size_t at = 0; at < bytes; at += 4096) block.get()[at] = 1;
  }
  return count;
}

std::uint64_t threads(std::uint64_t count) {
  std::vector<std::thread> all;
  for (int i = 0; i < 2; ++i) all.emplace_back([count] { (void)mixed(count / 2); });
  for (std::thread& one : all) one.join();
  return count;
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, std::uint64_t (*)(std::uint64_t)> patterns{
      {"pairs", pairs}, {"mixed", mixed}, {"containers", containers}, {"large", large}, {"threads", threads}};
  const auto pattern = patterns.find(count > 1 ? words[1] : "");
  if (pattern == patterns.end()) {
    std::fprintf(stderr, "usage: malloc_cost pairs|mixed|containers|large|threads\n");
    return 2;
  }
  const std::uint64_t allocations = pattern->first == "pairs" ? 20'000'000 : 4'000'000;
  (void)pattern->second(allocations / 10);
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t done = pattern->second(allocations);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.4f\n", took.count() / static_cast<double>(done));
}
