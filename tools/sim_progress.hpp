#pragma once

#include <chrono>
#include <string>

#include "tools/sim_campaign.hpp"

namespace nearfork::tools {

/// One line on stderr that is written over while simulations go on, and erased in the end. Does nothing where stderr is no
/// terminal.
class campaign_line {
 public:
  campaign_line();
  ~campaign_line();
  campaign_line(const campaign_line&) = delete;
  campaign_line& operator=(const campaign_line&) = delete;

  void show(const campaign_progress& now);

 private:
  using clock = std::chrono::steady_clock;
  bool visible_;
  clock::time_point began_ = clock::now();
  clock::time_point shown_{};
};

/// "simulating laws on box.xml: 40%, about 12 s left".
[[nodiscard]] std::string progress_text(const campaign_progress& now, double elapsed_s);

}  // namespace nearfork::tools
