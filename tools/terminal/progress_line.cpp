#include "tools/terminal/progress_line.hpp"

#include <fmt/core.h>

#include <string>

#include "base/output/standard_streams.hpp"
#include "tools/terminal/terminals.hpp"

namespace nearfork::tools {
namespace {

constexpr const char* erase_line = "\r\033[K";
constexpr auto pause = std::chrono::milliseconds(100);
constexpr auto pause_of_lines = std::chrono::minutes(1);

}  // namespace

progress_line::progress_line() : rewritten_(stderr_is_terminal()), shown_(rewritten_ ? clock::time_point() : began_) {}

progress_line::~progress_line() {
  erase();
}

void progress_line::show(std::string_view text) {
  if (!rewritten_ && clock::now() - shown_ < pause_of_lines) return;
  shown_ = clock::now();
  if (!rewritten_) return tell(std::string(text));
  fmt::print(stderr, "{}{}", erase_line, text);
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

std::string time_left(double done, double elapsed_s) {
  constexpr double too_little = 0.01;
  if (done <= too_little) return {};
  const double left_s = elapsed_s * (1 - done) / done;
  constexpr double seconds_of_minute = 60;
  if (left_s < 2 * seconds_of_minute) return fmt::format(", about {:.0f} s left", left_s);
  return fmt::format(", about {:.0f} min left", left_s / seconds_of_minute);
}

}  // namespace nearfork::tools
