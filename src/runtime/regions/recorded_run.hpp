// A run() outside regions, recorded as if it were a region.
#pragma once

#include <memory>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/recording.hpp>

namespace nearfork::detail {

struct tree_cursor;
class iteration_log;

/// From construction to destruction.
class recorded_run {
 public:
  explicit recorded_run(const call_site& where) : where_(where) {
    if (anybody_records()) [[unlikely]]
      begin();
  }
  ~recorded_run() {
    if (root_ != nullptr) [[unlikely]]
      end();
  }
  recorded_run(const recorded_run&) = delete;
  recorded_run& operator=(const recorded_run&) = delete;

 private:
  void begin();
  void end() noexcept;

  call_site where_;
  tree_cursor* root_ = nullptr;  // owned
  std::shared_ptr<iteration_log> log_;
  int exceptions_ = 0;
};

}  // namespace nearfork::detail
