// A program that uses nearfork and allocates by malloc and new alone, in the way that its argument names.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/malloc/programs/block_forms.hpp"
#include "tests/malloc/programs/checks.hpp"

namespace {

using namespace nearfork::test;

std::vector<double> before_main(large / sizeof(double), 2.0);

std::vector<char> data() {
  return std::vector<char>(large, 'x');
}

void check_regions() {
  EXPECT(is_placed(before_main.data()));
  const std::vector<char> before = data();
  EXPECT(is_placed(before.data()));
  std::vector<char> by_initialiser;
  for (int i = 0; i < 3; ++i)
    nearfork::region({.name = "one"}, [&] {
      std::vector<char> own;
      nearfork::fork_join([&] { own = data(); }, [] {});
      EXPECT(is_placed(own.data()) == (i == 0));
      if (i == 0) by_initialiser = std::move(own);
      nearfork::parallel_for(std::size_t{0}, before_main.size(), [&](std::size_t j) { before_main[j] += 1; });
    });
  EXPECT(!is_placed(data().data()));
  nearfork::region({.name = "two"}, [&] { EXPECT(is_placed(data().data())); });
  EXPECT(before_main[5] == 5.0 && is_placed(by_initialiser.data()));
  const nearfork::run_report report = nearfork::this_runtime::get().report();
  EXPECT(report.memory.malloc_blocks >= 4 && report.memory.malloc_bytes >= 4 * large);
  EXPECT(report.memory.blocks == 3);
  EXPECT(report.regions.front().placed_blocks >= 2 && report.regions.front().input_bytes >= 2 * large);
}

/// Every block carries its address and size until it is freed, by another thread than made it: no two blocks share a
/// byte, and none is freed twice.
void check_threads() {
  struct block {
    block* self;
    std::size_t bytes;
  };
  static std::atomic<block*> handed[64];
  const auto act = [](unsigned seed) {
    for (unsigned i = 0; i < 40; ++i) {
      seed = seed * 1664525U + 1013904223U;
      const std::size_t bytes = seed % 8 == 0 ? large + seed % 4096 : sizeof(block) + 2 * sizeof(void*) + seed % 3000;
      auto* const made = static_cast<block*>(std::malloc(bytes));
      EXPECT(made != nullptr);
      *made = {made, bytes};
      std::memcpy(reinterpret_cast<char*>(made) + bytes - sizeof(void*), &made, sizeof(void*));
      block* const other = handed[seed / 8 % 64].exchange(made);
      if (other == nullptr) continue;
      EXPECT(other->self == other);
      EXPECT(std::memcmp(reinterpret_cast<char*>(other) + other->bytes - sizeof(void*), &other, sizeof(void*)) == 0);
      other->self = nullptr;
      std::free(other);
    }
  };
  for (unsigned batch = 0; batch < 25; ++batch) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 40; ++i) threads.emplace_back(act, batch * 40 + i);
    for (std::thread& one : threads) one.join();
  }
  for (auto& one : handed) std::free(one.exchange(nullptr));
}

void* freed_by_handler = nullptr;

/// Of more blocks than the process can have mappings, and beside them threads.
void check_many() {
  std::vector<void*> blocks(40'000);
  for (void*& one : blocks) {
    one = std::malloc(large);
    EXPECT(one != nullptr);
  }
  EXPECT(is_placed(blocks[100]) && !is_placed(blocks[20'000]));
  std::thread([] {}).join();
  for (void* const one : blocks) std::free(one);
  void* const again = std::malloc(large);
  EXPECT(is_placed(again));
  std::free(again);
  const nearfork::run_report report = nearfork::this_runtime::get().report();
  EXPECT(report.memory.malloc_blocks > 1000 && !report.degradations.empty());
}

bool has_one_node() {
  std::ifstream list("/sys/devices/system/node/has_memory");
  std::string nodes;
  return !std::getline(list, nodes) || nodes == "0";
}

/// On a machine with one node a freed block keeps its pages for the next one.
void check_kept_pages() {
  nearfork::run([] {});
  const auto before = nearfork::this_runtime::get().report().memory;
  for (int i = 0; i < 20; ++i) {
    void* const one = std::malloc(large);
    EXPECT(is_placed(one));
    std::memset(one, i, large);
    std::free(one);
  }
  const auto after = nearfork::this_runtime::get().report().memory;
  EXPECT(after.blocks_reused >= before.blocks_reused + 19 || !has_one_node());
}

/// A handler of fork() that allocates and frees while the locks of placed memory are held.
void allocate_in_handler() {
  std::free(freed_by_handler);
  freed_by_handler = std::malloc(large);
}

void check_fork() {
  EXPECT(::pthread_atfork(allocate_in_handler, allocate_in_handler, allocate_in_handler) == 0);
  freed_by_handler = std::malloc(large);
  EXPECT(is_placed(freed_by_handler));
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!over) std::free(std::malloc(large));
    });
  void* const older = std::malloc(large);
  for (int i = 0; i < 12; ++i) {
    const pid_t child = ::fork();
    EXPECT(child >= 0);
    if (child == 0) {
      ::alarm(20);
      std::free(older);
      check_resizing();
      ::_exit(0);
    }
    int status = -1;
    EXPECT(::waitpid(child, &status, 0) == child && status == 0);
  }
  over = true;
  for (std::thread& one : threads) one.join();
  std::free(older);
}

}  // namespace

int main(int, char** words) {
  const std::string_view mode = words[1];
  if (mode == "forms") {
    check_c_functions();
    check_operators();
    check_resizing();
  }
  if (mode == "refusals") check_refusals();
  if (mode == "regions") check_regions();
  if (mode == "threads") check_threads();
  if (mode == "fork") check_fork();
  if (mode == "many") check_many();
  if (mode == "kept") check_kept_pages();
  if (mode == "runtime") nearfork::run([] {});
  if (mode == "killed") {
    std::free(std::malloc(large));
    ::kill(::getpid(), SIGKILL);
  }
  if (mode == "status") return std::atoi(words[2]);
  std::puts("all is as it should be");
}
