#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <nearfork/run.hpp>

namespace nearfork {

/// What the program knows about a region.
struct region_options {
  std::string name;               // regions of one runtime with the same name are one; empty: by call site
  std::uint64_t input_bytes = 0;  // of the data it works on; 0: not said
};

namespace detail {

struct region_iteration;
struct tree_cursor;
class iteration_log;

/// One iteration: from construction to destruction the calling fiber stands at the region's root.
class region_scope {
 public:
  /// Where it throws, the region is not in progress, and the fiber stands where it stood.
  region_scope(const region_options& options, const std::source_location& where);
  ~region_scope();
  region_scope(const region_scope&) = delete;
  region_scope& operator=(const region_scope&) = delete;

 private:
  void begin(const region_options& options, const std::source_location& where);
  void stand_at_root() noexcept;
  void end(bool complete) noexcept;

  region_iteration* iteration_ = nullptr;
  std::unique_ptr<tree_cursor> root_;
  bool stands_ = false;              // the fiber's cursor is root_, or none inside a run() that is recorded and has one
  tree_cursor* outer_ = nullptr;     // of a recorded run() around it
  tree_cursor* measured_ = nullptr;  // the task around it, whose clock stands meanwhile
  std::shared_ptr<iteration_log> log_;  // where it is recorded
  std::string name_;
  int exceptions_;
};

}  // namespace detail

/// Calls f as one iteration of a region: a root that recurs, which the policy may profile the first time and plan
/// from then on. Iterations of one region that overlap, and regions inside regions above the plan's
/// subtree roots, run plainly. Returns and throws what f does; an iteration that throws leaves no profile.
template <class F>
auto region(const region_options& options, F&& f, std::source_location where = std::source_location::current())
    -> std::invoke_result_t<F&> {
  return run(
      [&]() -> std::invoke_result_t<F&> {
        const detail::region_scope iteration(options, where);
        return f();
      },
      where);
}

template <class F>
auto region(const char* name, F&& f, std::source_location where = std::source_location::current())
    -> std::invoke_result_t<F&> {
  return region(region_options{.name = name}, std::forward<F>(f), where);
}

}  // namespace nearfork
