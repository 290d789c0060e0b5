#include "tools/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork::tools {
namespace {

constexpr std::size_t longest_word = 120;
constexpr std::size_t longest_line = 400;

bool needs_quotes(std::string_view word) {
  constexpr std::string_view plain = "-_./:=,+@%";
  return word.empty() || !std::ranges::all_of(word, [&](unsigned char c) {
           return std::isalnum(c) != 0 || plain.find(static_cast<char>(c)) != plain.npos;
         });
}

std::string of_memory(const std::string& command_line) {
  return fmt::format(
      "nearfork: no memory is left in: {}\n  give smaller sizes, fewer iterations or --workers, a smaller file, or "
      "more memory "
      "(ulimit -v shows a limit)",
      command_line);
}

std::string of_path(const std::filesystem::filesystem_error& failure, const std::string& command_line) {
  return fmt::format("nearfork: {}: {} (errno {}) in: {}\n  name a path that exists and that you may use",
                     failure.path1().empty() ? "the current folder, or that of temporary files (TMPDIR)"
                                             : nearfork::quoted(failure.path1().string(), longest_word),
                     failure.code().message(), failure.code().value(), command_line);
}

std::string of_system(const std::system_error& failure, const std::string& command_line) {
  return fmt::format(
      "nearfork: the system refused: {} (errno {}) in: {}\n  see its limits (ulimit -a), and what it grants "
      "(nearfork doctor)",
      failure.code().message(), failure.code().value(), command_line);
}

/// A bug in nearfork: no input of a user should get here.
std::string unexpected(const char* what, const std::string& command_line) {
  return fmt::format("nearfork: a mistake of nearfork's own ({}) in: {}\n  please report it with this line", what,
                     command_line);
}

}  // namespace

std::string command_line_text(int argc, const char* const* argv) {
  std::string line = "nearfork";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    line += ' ';
    line += needs_quotes(word) || word.size() > longest_word ? nearfork::quoted(word, longest_word) : std::string(word);
    if (line.size() > longest_line) return line + " ...";
  }
  return line;
}

std::string failure_text(const std::exception& failure, const std::string& command_line) {
  if (const auto* const ours = dynamic_cast<const error*>(&failure)) return ours->what();
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return of_memory(command_line);
  if (dynamic_cast<const std::length_error*>(&failure) != nullptr) return of_memory(command_line);
  if (const auto* const path = dynamic_cast<const std::filesystem::filesystem_error*>(&failure))
    return of_path(*path, command_line);
  if (const auto* const system = dynamic_cast<const std::system_error*>(&failure))
    return of_system(*system, command_line);
  return unexpected(failure.what(), command_line);
}

}  // namespace nearfork::tools
