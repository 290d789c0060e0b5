// Runs one contender at one problem in a process of its own: prepares, solves, checks, and prints one line of JSON.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/problem.hpp"

namespace {

struct request {
  unsigned workers = 1;
  std::uint64_t size = bench::usual_size();
  unsigned runs = 1;  // timed; they follow the warm-ups
  unsigned warm_ups = 0;
};

std::string_view given_input;  // the word of --input
bool input_was_asked_for = false;

std::uint64_t number(std::string_view name, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw std::invalid_argument("--" + std::string(name) + " " + std::string(text) + ": a whole number from " +
                                std::to_string(least) + " to " + std::to_string(most) + " is wanted");
  return value;
}

request parse(int argc, char** argv) {
  request asked;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(std::string(name) + " wants a value");
    const std::string_view value = argv[i + 1];
    if (name == "--workers") asked.workers = static_cast<unsigned>(number("workers", value, 1, 4096));
    else if (name == "--size") asked.size = number("size", value, 0, std::uint64_t{1} << 40);
    else if (name == "--runs") asked.runs = static_cast<unsigned>(number("runs", value, 1, 100'000));
    else if (name == "--warm-ups") asked.warm_ups = static_cast<unsigned>(number("warm-ups", value, 0, 100'000));
    else if (name == "--input") given_input = value;
    else
      throw std::invalid_argument(std::string(name) +
                                  ": allowed are --workers, --size, --runs, --warm-ups and --input");
  }
  return asked;
}

/// The peak resident memory of this program alone; getrusage() would also count the memory of the parent at the fork.
/// Call after all else was printed: what printing takes (350 KiB of the C library) is part of every contender's peak.
std::uint64_t peak_kib() {
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  if (status == nullptr) return 0;
  char line[256];
  unsigned long long kib = 0;
  while (std::fgets(line, sizeof line, status) != nullptr && std::sscanf(line, "VmHWM: %llu kB", &kib) != 1) {
  }
  std::fclose(status);
  return kib;
}

int run(const request& asked) {
  const bench::problem given = bench::make_problem(asked.size);
  if (!given_input.empty() && !input_was_asked_for)
    throw std::invalid_argument("--input " + std::string(given_input) + ": this problem has one kind of input");
  std::vector<double> seconds;
  bool right = true;
  bench::inside(asked.workers, [&] {
    for (unsigned i = 0; i < asked.warm_ups + asked.runs; ++i) {
      const auto before = std::chrono::steady_clock::now();
      given.solve();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
      right = right && given.right();
      if (i >= asked.warm_ups) seconds.push_back(took.count());
    }
  });
  std::printf("{\"right\": %s, \"operations\": %.17g, \"operation\": \"%.*s\", \"seconds\": [",
              right ? "true" : "false", given.operations, static_cast<int>(given.operation.size()),
              given.operation.data());
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.9f", i == 0 ? "" : ", ", seconds[i]);
  std::fflush(stdout);
  std::printf("], \"peak_kib\": %llu}\n", static_cast<unsigned long long>(peak_kib()));
  if (std::fflush(stdout) != 0) throw std::runtime_error("standard output cannot be written");
  return right ? 0 : 1;
}

}  // namespace

std::string_view bench::input_or(std::string_view usual) {
  input_was_asked_for = true;
  return given_input.empty() ? usual : given_input;
}

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s: %s\n", argv[0], wrong.what());
    return 2;
  }
}
