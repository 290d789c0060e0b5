#include "workloads/fib/fib.hpp"

#include <utility>

#include <nearfork/region.hpp>

#include "workloads/difference.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint64_t no_number = ~std::uint64_t{0};

const size_table<fib_size>& fib_sizes() {
  static const size_table<fib_size> table{
      {{&fib_size::n, {"n", "which Fibonacci number", 0, 60}},
       {&fib_size::cutoff, {"cutoff", "numbers up to this one are computed without forks", 1, 60}}},
      {{"default", {32, 1}}, {"small", {22, 1}}, {"test", {15, 1}}}};
  return table;
}

std::uint64_t by_addition(std::uint64_t n) {
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  for (; n > 0; --n) a = std::exchange(b, a + b);
  return a;
}

}  // namespace

fib_instance::fib_instance(const fib_size& size, std::uint64_t /*seed: there is no input*/) : size_(size) {
  reset();
}

std::uint64_t fib_instance::bytes(const fib_size& /*size*/) {
  return sizeof(fib_instance);
}

void fib_instance::reset() {
  answer_ = no_number;
}

void fib_instance::run_serial() {
  answer_ = fib_serial(size_.n);
}

void fib_instance::run_nearfork() {
  region("fib", [&] { run_with(nearfork_fork{}); });
}

std::string fib_instance::fault() const {
  return difference("the number", answer_, by_addition(size_.n));
}

void fib_instance::corrupt(std::uint64_t where) {
  answer_ ^= std::uint64_t{1} << where % 64;
}

workload fib_workload() {
  return workload_of<fib_instance>("fib", "Fibonacci numbers by a fork per call: what a fork costs", fib_sizes());
}

}  // namespace nearfork::workloads
