#include "tools/sim_progress.hpp"

#include <fmt/format.h>

#include "tools/bench_terminal.hpp"

namespace nearfork::tools {
namespace {

constexpr const char* erase_line = "\r\033[K";
constexpr auto pause = std::chrono::milliseconds(100);  // between two texts: nobody reads faster

}  // namespace

campaign_line::campaign_line() : visible_(stderr_is_terminal()) {}

campaign_line::~campaign_line() {
  if (visible_) fmt::print(stderr, "{}", erase_line);
}

void campaign_line::show(const campaign_progress& now) {
  if (!visible_ || clock::now() - shown_ < pause) return;
  shown_ = clock::now();
  fmt::print(stderr, "{}{}", erase_line, progress_text(now, std::chrono::duration<double>(shown_ - began_).count()));
}

std::string progress_text(const campaign_progress& now, double elapsed_s) {
  std::string text = fmt::format("simulating {}: {:.0f}%", now.title, 100 * now.done);
  if (now.done > 0.01) text += fmt::format(", about {:.0f} s left", elapsed_s * (1 - now.done) / now.done);
  return text;
}

}  // namespace nearfork::tools
