#pragma once

#include <nearfork/detail/language.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <nearfork/run.hpp>

namespace nearfork {

/// What the program tells about a region.
struct region_options {
  std::string name;  // regions of one runtime with the same name are one; empty: the call site names it
  /// How many bytes an iteration works on; 0: not told. Of records of which it uses one cache line, that line. Where a
  /// cache holds that many, `auto` keeps the data on the memory that answers first.
  std::uint64_t input_bytes = 0;
};

namespace detail {

struct region_iteration;
struct task_clock;
struct tree_cursor;
class iteration_log;

/// One iteration of a region. From construction to destruction the calling fiber is at the root of the region's task
/// tree.
class region_scope {
 public:
  /// If this throws, the region is not in progress, and the fiber is where it was before.
  region_scope(const region_options& options, const call_site& where);
  ~region_scope();
  region_scope(const region_scope&) = delete;
  region_scope& operator=(const region_scope&) = delete;

 private:
  void begin(const region_options& options, const call_site& where);
  void note_initialiser(const std::string& name);
  void begin_log(std::uint64_t input_bytes);
  void stand_at_root() noexcept;
  void note_beginning(const std::string& name) noexcept;
  void note_end(bool complete, const std::string& new_plan) const noexcept;
  void end(bool complete) noexcept;

  region_iteration* iteration_ = nullptr;
  std::unique_ptr<tree_cursor> root_;
  bool stands_ = false;                 // the fiber's cursor is root_, or nullptr inside a recorded run()
  tree_cursor* outer_ = nullptr;        // the cursor of a recorded run() around this region
  task_clock* measured_ = nullptr;      // the task around this region; its clock is stopped meanwhile
  std::shared_ptr<iteration_log> log_;  // where this iteration is recorded
  std::string name_;
  bool initialises_ = false;     // the region was never entered before, and blocks of malloc are placed
  std::uint16_t traced_as_ = 0;  // the number of its name in the trace
  std::uint64_t number_ = 0;     // of the iteration; the first is 1
  int exceptions_;
};

}  // namespace detail

/// Calls f as one iteration of a region: a piece of a program that runs again and again. The policy
/// may profile the first iteration, and plan the later ones.
///
///     nearfork::array<double> grid(1 << 20);
///     for (int step = 0; step < 100; ++step)
///       nearfork::region({.name = "heat", .input_bytes = grid.size_bytes()}, [&] {
///         nearfork::parallel_for(std::size_t{0}, grid.size(), [&](std::size_t i) { grid[i] += 1.0; });
///       });
///
/// Some iterations run without profile and plan: those of one region that overlap, and those of a region inside another
/// one above the plan's subtree roots.
/// Returns: what f returns. Throws: what f throws; also what run() throws. An iteration that throws leaves no profile.
/// Complexity: a look-up of the name per iteration. While an iteration is profiled, each fork is recorded.
/// Thread-safety: any thread. Outside a worker the region runs inside the process-wide runtime.
/// Source: profiled first iteration: A-CAB and LAWS; see docs/PAPERS.md.
template <detail::task_callable F>
auto region(const region_options& options, F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()})
    -> detail::result_of<std::remove_reference_t<F>> {
  return run(
      [&]() -> detail::result_of<std::remove_reference_t<F>> {
        const detail::region_scope iteration(options, where);
        return detail::call(f);
      },
      where);
}

/// The same for a region of which only the name is known.
///
///     nearfork::region("count", [] { nearfork::parallel_for(0, 1000, [](int) {}); });
template <detail::task_callable F>
auto region(const char* name, F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()})
    -> detail::result_of<std::remove_reference_t<F>> {
  return region(region_options{.name = name}, std::forward<F>(f), where);
}

}  // namespace nearfork
