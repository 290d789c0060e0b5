// The counters of a trace, as far as a page can show them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/report/document.hpp"

namespace nearfork::tools {

class counter_marks {
 public:
  void name(std::uint64_t track, const std::string& text);
  void add(std::uint64_t track, std::uint64_t at_ns, double value);
  /// Those that have values, in the order of their tracks. Times begin at `first_ns`.
  [[nodiscard]] std::vector<counter_view> views(std::uint64_t first_ns) const;

 private:
  struct course {
    counter_view what{};
    std::uint64_t seen = 0;
    std::uint64_t step = 1;  // one value of so many is kept
  };
  std::map<std::uint64_t, course> courses_{};
};

}  // namespace nearfork::tools
