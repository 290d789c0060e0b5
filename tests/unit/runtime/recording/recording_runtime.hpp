// A runtime whose recording is looked at in memory.
#pragma once

#include <stdexcept>
#include <string>

#include <nearfork/nearfork.hpp>

#include "recording/recording.hpp"
#include "recording/recording_file.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime/recording/graph_recorder.hpp"
#include "runtime_settings.hpp"

namespace nearfork::test {

inline config recording_settings(unsigned workers, recorded_iterations which = recorded_iterations::one) {
  config settings = with_workers(workers);
  settings.record = "/dev/null";  // what is recorded is looked at in memory
  settings.record_iterations = which;
  return settings;
}

class recording_runtime {
 public:
  explicit recording_runtime(config settings) : runtime_(settings) {}
  runtime* operator->() { return &runtime_; }
  [[nodiscard]] recordings::recording made() {
    return recordings::from_bytes(runtime_.implementation().recorder()->file("a machine"), "in memory");
  }

 private:
  runtime runtime_;
};

inline const recordings::region& region_called(const recordings::recording& all, const std::string& name) {
  for (const recordings::region& one : all.regions)
    if (one.name == name) return one;
  throw std::runtime_error("no region " + name);
}

}  // namespace nearfork::test
