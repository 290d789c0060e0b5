// libnearfork-malloc.so for a program that is run: where it is, how the program gets it, and what it did there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nearfork::tools {

/// The library that was built or installed with this command. Throws: nearfork::error if it is not there, or if its
/// path has a character that LD_PRELOAD cannot have.
[[nodiscard]] std::string malloc_library_path();

/// Throws: nearfork::error if the program is not to be found or executed, or if it is one that ignores LD_PRELOAD
/// because it runs with the rights of another user.
void expect_preloadable(const std::string& program);

/// What all processes of the program did with the library.
struct malloc_counts {
  std::uint64_t processes = 0;  // that loaded it
  std::uint64_t offers = 0;     // of these, the processes that have nearfork
  std::uint64_t blocks = 0;     // placed
  std::uint64_t bytes = 0;
};

/// A temporary file in which the processes count. It goes when this object goes.
class malloc_counts_file {
 public:
  /// Throws: nearfork::error if it cannot be made.
  malloc_counts_file();
  ~malloc_counts_file();
  malloc_counts_file(const malloc_counts_file&) = delete;
  malloc_counts_file& operator=(const malloc_counts_file&) = delete;

  /// The variables that the program needs: this file's, and LD_PRELOAD with the library before what it had.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment(const std::string& library) const;
  [[nodiscard]] malloc_counts counts() const;

 private:
  std::string path_;
};

/// True if the program loads the address sanitizer's library, as gcc links it: such a program ends before anything else
/// of it runs, unless that library is the first. False also if the program cannot be read.
[[nodiscard]] bool loads_address_sanitizer(const std::string& program);

/// One line: what was placed, or why nothing was.
[[nodiscard]] std::string text_of(const malloc_counts& counts, const std::string& program);

}  // namespace nearfork::tools
