#include "workloads/fib/fib.hpp"

#include <utility>

#include "workloads/define.hpp"
#include "workloads/fork.hpp"

namespace nearfork::workloads {
/// 93 is the last that fits in 64 bits; who asks for more than 60 has all the time in the world.
std::vector<parameter> parameters_of(fib_size& size) {
  return {number("n", size.n, {0, 60}, "which Fibonacci number"),
          number("cutoff", size.cutoff, {2, 60}, "calls with a smaller n do not fork")};
}

std::uint64_t bytes_of(const fib_size&) {
  return sizeof(fib);
}

fib::fib(const fib_size& chosen) : chosen_(chosen) {
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < chosen.n; ++i) expected_ = std::exchange(next, expected_ + next);
}

std::optional<std::string> fib::fault() const {
  if (result == expected_) return std::nullopt;
  return "fib(" + std::to_string(chosen_.n) + ") is " + std::to_string(result) + ", but must be " +
         std::to_string(expected_);
}

void run_fib_serial(fib& number) {
  number.result = fib_leaf(number.chosen().n);
}

void run_fib_nearfork(fib& number) {
  number.result = fib_by(nearfork_fork{}, number.chosen());
}

workload define_fib() {
  return define<fib>({.name = "fib",
                      .description = "Fibonacci numbers by recursion; every call forks, so it shows the cost of a fork",
                      .sizes = {{"test", "n=17"}, {"small", "n=27"}, {"default", ""}, {"coarse", "n=38,cutoff=20"}},
                      .contenders = {contender_of("serial", library::none, run_fib_serial),
                                     contender_of("nearfork", library::nearfork, run_fib_nearfork)}});
}

}  // namespace nearfork::workloads
