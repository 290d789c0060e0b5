#include "bench/compare/styles/lace.hpp"

#include <array>
#include <regex>
#include <string_view>
#include <vector>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "bench/compare/child.hpp"

namespace bench {

namespace fs = std::filesystem;

fs::path lace_fib(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw nearfork::error("--lace " + nearfork::quoted(folder.string()) +
                          " is not a folder: the folder in which Lace was built is wanted");
  static constexpr std::array<std::string_view, 3> places{"build/benchmarks/fib-lace", "benchmarks/fib-lace",
                                                          "fib-lace"};
  for (const std::string_view place : places)
    if (fs::is_regular_file(folder / place)) return folder / place;
  throw nearfork::error("--lace " + nearfork::quoted(folder.string()) +
                        " has no build/benchmarks/fib-lace, benchmarks/fib-lace or fib-lace: build Lace with its "
                        "benchmarks first, as its README says");
}

double lace_seconds(const std::string& output, unsigned n, std::uint64_t right) {
  static const std::regex answer(R"(fib\((\d+)\) = (\d+))");
  static const std::regex time(R"(Time: (\d+\.\d+))");
  std::smatch said, took;
  if (!std::regex_search(output, said, answer) || !std::regex_search(output, took, time))
    throw nearfork::error("Lace's fib printed " + nearfork::quoted(output) +
                          ", not \"fib(N) = ...\" and \"Time: ...\": another version of Lace?");
  if (said[1] != std::to_string(n) || said[2] != std::to_string(right))
    throw nearfork::error("Lace's fib printed " + nearfork::quoted(said[0].str()) + ", but fib(" + std::to_string(n) +
                          ") is " + std::to_string(right));
  return nearfork::parse_decimal(took[1].str()).value();
}

double run_lace_fib(const fs::path& program, unsigned workers, unsigned n) {
  std::uint64_t right = 0, next = 1;
  for (unsigned i = 0; i < n; ++i) {
    const std::uint64_t sum = right + next;
    right = next;
    next = sum;
  }
  return lace_seconds(output_of(program, {"-w", std::to_string(workers), std::to_string(n)}), n, right);
}

}  // namespace bench
