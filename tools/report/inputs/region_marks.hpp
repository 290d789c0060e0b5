// The iterations of regions, put together from a trace. A region's slice may be in parts: it leaves its worker while it
// waits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/document.hpp"

namespace nearfork::tools {

class region_marks {
 public:
  struct iteration_name {
    std::size_t course = 0;
    std::size_t iteration = 0;
  };

  /// What a slice "region NAME" says.
  struct slice_facts {
    std::string_view name;
    std::string_view number;
    std::string_view kind;
    bool goes_on = false;  // after a wait: it is a part of an iteration that has begun
  };
  iteration_name begin(const slice_facts& slice, std::uint64_t at_ns);
  /// `how`: "by an exception", or empty.
  void end(iteration_name which, std::uint64_t at_ns, std::string_view how);
  /// What the next iteration of the region finds changed.
  void changed(std::string_view region, const std::string& why);

  [[nodiscard]] std::vector<course_view> courses() const;
  struct window {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
  };
  /// The times at which an iteration of some region ran, in order and apart from each other.
  [[nodiscard]] std::vector<window> windows() const;

 private:
  struct course {
    course_view view;
    std::vector<std::uint64_t> begins_ns;
    std::string pending;  // what changed since the last iteration
  };
  std::size_t place_of(std::string_view region);

  std::vector<course> courses_;
};

}  // namespace nearfork::tools
