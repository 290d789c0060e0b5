#include "tools/bench_terminal.hpp"

#include <fmt/core.h>

#include <chrono>
#include <utility>

namespace nearfork::tools {
namespace {

constexpr const char* erase_line = "\r\033[K";

}  // namespace

progress_line::progress_line(std::string workload)
    : workload_(std::move(workload)),
      visible_(stderr_is_terminal()),
      elapsed_s_([start = std::chrono::steady_clock::now()] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }) {
  if (visible_) fmt::print(stderr, "{}{}: making the input and the right answer", erase_line, workload_);
}

progress_line::~progress_line() {
  if (visible_) fmt::print(stderr, "{}", erase_line);
}

void progress_line::show(const bench_progress& now) {
  if (visible_) fmt::print(stderr, "{}{}", erase_line, progress_text(workload_, now, elapsed_s_()));
}

std::string progress_text(const std::string& workload, const bench_progress& now, double elapsed_s) {
  std::string text = fmt::format("{}: run {} of {}, {}", workload, now.done + 1, now.all, now.contender);
  if (now.done > 0) {
    const double left = elapsed_s * static_cast<double>(now.all - now.done) / static_cast<double>(now.done);
    text += fmt::format(", about {:.0f} s left", left);
  }
  return text;
}

}  // namespace nearfork::tools
