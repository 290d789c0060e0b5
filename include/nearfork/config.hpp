#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork {

/// Whether each worker is bound to one PU.
enum class pinning : std::uint8_t { off, on };

/// Which iterations of a region are recorded: the second one (the first where there is no second), or all.
enum class recorded_iterations : std::uint8_t { one, all };

/// Everything that a runtime can be told. Environment variables, command-line flags and these fields are rows of
/// one table: config_options(), printed in docs/CONFIGURATION.md.
struct config {
  std::string policy = "random";
  unsigned workers = 0;          // 0: as many as the machine grants
  std::string machine{};         // empty: the machine that runs us
  std::string machine_folder{};  // of machines that have a name; empty: the one that came with nearfork
  pinning pin = pinning::on;
  bool pin_waits = false;
  bool strict = false;
  std::string report{};                            // empty: none
  std::size_t stack_bytes = std::size_t{8} << 20;  // what threads have: only pages that are touched take memory
  unsigned spin_us = 50;
  unsigned profile_tasks = 1'000'000;                  // at about 60 bytes each while they are recorded
  std::uint64_t move_bytes = std::uint64_t{64} << 20;  // a kernel moves about 1 GiB per second
  std::string record{};                                // empty: nothing is recorded
  recorded_iterations record_iterations = recorded_iterations::one;
  unsigned record_tasks = 10'000'000;  // at about 24 bytes each while their iteration runs, and 4 afterwards
  std::uint64_t seed = 1;
  std::string name = "nearfork";

  /// The defaults, changed by the NEARFORK_* variables of the environment; an empty variable counts as unset.
  /// In a privileged program (setuid, setgid, or a file with capabilities) the defaults alone: there the environment
  /// belongs to whoever started it, and ignored_variables names what was set.
  /// Throws: nearfork::error on unknown names and bad values; the message names them all and lists what is allowed.
  [[nodiscard]] static config from_environment();

  /// Sets the option called `option` ("workers", "stack_bytes") from text. `where` says who asks, for messages and
  /// source_of(): "flag --workers". Throws: nearfork::error on an unknown name or a bad value; nothing is changed then.
  void set(std::string_view option, std::string_view value, std::string_view where = "");

  /// The value of an option as the text that set() would read back. Throws: nearfork::error on an unknown name.
  [[nodiscard]] std::string text_of(std::string_view option) const;

  /// Where an option's value comes from: "default", "program" (the field was assigned), or the `where` of set().
  [[nodiscard]] std::string source_of(std::string_view option) const;

  /// Throws: nearfork::error if a field that the program assigned is out of its range.
  void check() const;

  /// What set() did, for source_of(). Fields that are assigned directly leave no entry.
  struct setting {
    std::string option;
    std::string text;
    std::string where;
  };
  std::vector<setting> settings{};

  /// What from_environment() found and did not obey, for the run report: {"NEARFORK_REPORT"}.
  std::vector<std::string> ignored_variables{};
};

/// One row of the table.
struct config_option {
  std::string name;         // of the field in config
  std::string environment;  // NEARFORK_...
  std::string flag;         // --...
  std::string type;
  std::string default_value;
  std::string allowed;
  std::string unit;  // empty if it has none
  std::string meaning;
};

[[nodiscard]] std::vector<config_option> config_options();

/// One name and value of an environment.
struct environment_entry {
  std::string name;
  std::string value;
};

/// from_environment() over a given environment; names that do not start with NEARFORK_ are passed over, and so
/// are NEARFORK_BUILD_* and NEARFORK_TEST_*, which belong to the build and the tests.
[[nodiscard]] config config_from(std::span<const environment_entry> environment);

/// The text of docs/CONFIGURATION.md.
[[nodiscard]] std::string config_markdown();

/// The names that config::policy may have.
[[nodiscard]] std::vector<std::string> policy_names();

}  // namespace nearfork
