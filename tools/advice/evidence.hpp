// What advice is made from, beside the views of a report: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nearfork::tools {

/// The same program with one thing changed, simulated.
struct simulated_variant {
  enum class change : std::uint8_t {
    policy,  // `value`: its name
    pages,   // `value`: a rule, as NEARFORK's placing names it
    grain,   // `value`: nanoseconds that a leaf works for at least
    filler,  // one thread has filled the data beforehand, instead of the tasks that touch them
    lines,   // `value`: the block in which each task's part begins at a cache line
    workers  // `value`: the limit that goes, as name_of(worker_limit::cause)
  };
  change what = change::policy;
  std::string value{};
  std::string machine{};
  double base_ns = 0;              // an iteration as it is
  double time_ns = 0;              // an iteration with the change
  std::uint32_t workers = 0;       // if their number is what changes
  std::uint32_t base_workers = 0;  // as it is
  /// The part of the time that goes.
  [[nodiscard]] double gain() const noexcept { return base_ns > 0 ? 1 - time_ns / base_ns : 0; }
};

/// The machine on which the command runs.
struct system_evidence {
  std::uint32_t cores = 1;          // that the process may use
  std::uint32_t pus = 1;            // that the process may use
  std::uint32_t present_pus = 1;    // of the system
  std::optional<double> quota{};    // cores' worth of time; nullopt: all
  std::string huge_pages_remedy{};  // if huge pages are refused; empty: granted, or not known
};

/// What tasks write.
struct data_evidence {
  std::uint64_t bytes = 0;         // of all blocks
  std::string shared_block{};      // with the most lines that several tasks write
  std::uint64_t shared_lines = 0;  // of that block
  std::uint64_t written_lines = 0;
  std::uint32_t block = 0;  // that block: its place in the recording
  std::string region{};     // whose tasks write the most of these lines
  // Of stretches that write to that block, in the same iterations as its lines:
  double writers_ns = 0;     // time that was recorded
  double writers_lines = 0;  // lines of all that they declare, one pass each

  /// So many of its written lines are shared that it is worth telling. Between two cores a line takes 144 ns (two
  /// threads that write one line in turn, least of nine runs on an AMD EPYC virtual machine), so 16 lines take 2.3 us:
  /// about what a thief needs to begin one task. Fewer cannot matter, unless tasks write them again and again, as with
  /// a counter for each worker; no recording tells that, but the tasks then work for longer than one pass takes.
  [[nodiscard]] bool is_shared() const noexcept {
    constexpr std::uint64_t least_lines = 16;
    constexpr double part_of_lines = 0.02;
    return shared_lines > 0 && (shared_lines >= least_lines || !is_one_pass()) &&
           static_cast<double>(shared_lines) >= part_of_lines * static_cast<double>(written_lines);
  }
  /// Its writers work for no longer than one pass over what they declare may take, with each line from memory and ten
  /// times that for computation. Else they may write a line again and again, and a hint counts as one pass.
  [[nodiscard]] bool is_one_pass() const noexcept {
    constexpr double line_from_memory_ns = 100;
    constexpr double with_computation = 10;
    return writers_ns <= with_computation * line_from_memory_ns * writers_lines;
  }
};

struct advice_evidence {
  std::vector<simulated_variant> variants{};
  std::optional<system_evidence> system{};
  std::optional<data_evidence> data{};
  bool has_hbm = false;  // of the simulated machine
};

}  // namespace nearfork::tools
