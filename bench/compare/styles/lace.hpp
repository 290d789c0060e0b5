// Lace's own fib, which its user has built: nothing of Lace is part of this repository.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace bench {

/// The program below a folder of Lace, where its own build puts it.
/// Throws: nearfork::error that says what was looked for.
[[nodiscard]] std::filesystem::path lace_fib(const std::filesystem::path& folder);

/// The seconds that its output names.
/// Throws: nearfork::error if the answer is wrong, or the output is not Lace's.
[[nodiscard]] double lace_seconds(const std::string& output, unsigned n, std::uint64_t right);

/// Runs the program once. Throws as lace_seconds().
[[nodiscard]] double run_lace_fib(const std::filesystem::path& program, unsigned workers, unsigned n);

}  // namespace bench
