// The contenders: one runtime per policy and number of workers, the serial program, and the other runtimes. All
// runtimes live all the time, and are parked while another contender runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nearfork/runtime.hpp>

#include "tools/bench/request.hpp"
#include "tools/bench/rounds.hpp"

namespace nearfork::tools {

class bench_crews {
 public:
  explicit bench_crews(const std::vector<config>& settings);

  /// Serial first, then by number of workers: each policy, then the other runtimes. Throws: nearfork::error if the
  /// request leaves none.
  [[nodiscard]] std::vector<bench_contender> contenders_for(std::string_view workload,
                                                            const bench_request& request) const;

  /// "2, each bound to a PU", "2 and 4, not bound: ...".
  [[nodiscard]] std::string workers_text() const;
  [[nodiscard]] unsigned most_workers() const;
  /// The machine that the runtimes plan for, if it is not the machine that runs them; else empty.
  [[nodiscard]] std::string planned_machine() const;
  /// What each policy did about the region named like the workload, as lines of text.
  [[nodiscard]] std::string explanation_of(std::string_view workload) const;

 private:
  struct crew {
    config settings;
    std::unique_ptr<runtime> workers;
  };
  [[nodiscard]] std::vector<unsigned> sizes() const;

  std::vector<crew> crews_;
};

}  // namespace nearfork::tools
