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
  };
  change what = change::policy;
  std::string value{};
  std::string machine{};
  double base_ns = 0;  // an iteration as it is
  double time_ns = 0;  // an iteration with the change
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
  /// So many of its written lines are shared that it is worth telling.
  [[nodiscard]] bool is_shared() const noexcept {
    constexpr double part_of_lines = 0.02;
    return shared_lines > 0 && static_cast<double>(shared_lines) >= part_of_lines * static_cast<double>(written_lines);
  }
};

struct advice_evidence {
  std::vector<simulated_variant> variants{};
  std::optional<system_evidence> system{};
  std::optional<data_evidence> data{};
  bool has_hbm = false;  // of the simulated machine
};

}  // namespace nearfork::tools
