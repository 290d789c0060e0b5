#pragma once

#include <nearfork/detail/language.hpp>

#include <cstdint>
#include <version>

#ifdef __cpp_lib_source_location  // not with clang 14
#include <source_location>
#endif

namespace nearfork {

/// The file and the line of a call, which name it in recordings and reports.
///
///     nearfork::run([] {}, nearfork::call_site("solver.cpp", 12));
///
/// Unlike std::source_location it does not keep the name of the function. That name can have 65 KB for nested generic
/// lambdas, and it was 81% of a large program's bytes.
/// As the default of a parameter write `call_site where = {__builtin_FILE(), __builtin_LINE()}`: gcc 12 gives a
/// function in its place the line of the declaration.
/// Thread-safety: a value. `file` must live as long as the program, as the text of __FILE__ does.
struct call_site {
  /// A place in the text of a program.
  constexpr call_site(const char* file_, std::uint_least32_t line_) noexcept : file(file_), line(line_) {}
#ifdef __cpp_lib_source_location
  /// For callers that pass on a std::source_location.
  constexpr call_site(const std::source_location& where) noexcept : file(where.file_name()), line(where.line()) {}
#endif

  const char* file;          // as __FILE__
  std::uint_least32_t line;  // as __LINE__
};

}  // namespace nearfork
