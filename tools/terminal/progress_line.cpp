#include "tools/terminal/progress_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/output/standard_streams.hpp"
#include "tools/terminal/terminals.hpp"

namespace nearfork::tools {
namespace {

constexpr const char* erase_line = "\r\033[K";
constexpr auto pause = std::chrono::milliseconds(100);
constexpr auto pause_of_lines = std::chrono::minutes(1);

}  // namespace

progress_line::progress_line() : rewritten_(stderr_can_rewrite()), shown_(rewritten_ ? clock::time_point() : began_) {}

progress_line::~progress_line() {
  erase();
}

void progress_line::show(std::string_view text) {
  if (!rewritten_ && clock::now() - shown_ < pause_of_lines) return;
  shown_ = clock::now();
  if (!rewritten_) return tell(std::string(text));
  // A longer line would wrap, and only its last part be erased. Beyond the last column some terminals wrap at once.
  fmt::print(stderr, "{}{}", erase_line, cut_to(text, stderr_columns() - 1));
}

void progress_line::show_sometimes(std::string_view text) {
  if (clock::now() - shown_ >= pause) show(text);
}

void progress_line::erase() {
  if (rewritten_) fmt::print(stderr, "{}", erase_line);
}

double progress_line::elapsed_s() const {
  return std::chrono::duration<double>(clock::now() - began_).count();
}

std::string cut_to(std::string_view text, std::size_t columns) {
  constexpr std::string_view cut_mark = "...";
  const auto begins_character = [](char each) { return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U; };
  if (static_cast<std::size_t>(std::ranges::count_if(text, begins_character)) <= columns) return std::string(text);
  const std::size_t kept = columns > cut_mark.size() ? columns - cut_mark.size() : 0;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end)
    if (begins_character(text[end]) && characters++ == kept) break;
  return std::string(text.substr(0, end)) + std::string(cut_mark.substr(0, std::min(columns, cut_mark.size())));
}

std::string time_left(double done, double elapsed_s) {
  constexpr double too_little = 0.01;
  if (done <= too_little) return {};
  const double left_s = elapsed_s * (1 - done) / done;
  constexpr double seconds_of_minute = 60;
  if (left_s < 2 * seconds_of_minute) return fmt::format(", about {:.0f} s left", left_s);
  return fmt::format(", about {:.0f} min left", left_s / seconds_of_minute);
}

}  // namespace nearfork::tools
