#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork {

/// Whether the runtime binds each worker to one PU (a hardware thread). `automatic`: where that decides what is near,
/// which is on machines with several cache domains, memory nodes or kinds of core. Elsewhere the system may move a
/// worker away from a core that another program needs; a worker that sleeps is kept off the PU of the thread that woke
/// it last, if the system else wakes it there beside idle PUs.
enum class pinning : std::uint8_t { off, on, automatic };

/// Which iterations of a region are recorded. `one`: the second, or the first if there is no second. `all`: each of
/// them.
enum class recorded_iterations : std::uint8_t { one, all };

/// Which blocks of malloc and operator new become placed memory, where libnearfork-malloc.so is in use. `initial`:
/// those that are allocated before any region, or in a task while a region is in its first iteration. `all`: all that
/// are large enough.
enum class placed_mallocs : std::uint8_t { initial, all };

/// What a runtime does about power. `off`: nothing. `report`: it measures the energy of regions. `manage`: it also
/// lowers the clocks of cores whose workers wait, and raises those of others by what is saved (docs/POWER.md).
enum class power_use : std::uint8_t { off, report, manage };

/// What clocks are chosen for under power_use::manage. `time`: the most work per second. `energy`: the least energy for
/// an iteration of a region that takes at most 3% longer than at normal clocks. `edp`: the least product of energy and
/// time. Goals other than `time` need counters of energy.
enum class run_goal : std::uint8_t { time, energy, edp };

/// What tells how hot data are, for policies that move hot data (bats). `automatic`: hints if tasks give any, else the
/// best of the other sources that the system grants. `hints`: nearfork::reads() and writes() in tasks. `samples`:
/// memory accesses sampled by the processor (perf_event). `damon`: the kernel's DAMON, as root. `clear_refs`: the
/// kernel's marks of pages in use, in /proc/self. `page_idle`: its marks of idle pages, as root. `none`: nothing is
/// asked (docs/MEMORY.md).
enum class hotness_source : std::uint8_t { automatic, hints, samples, damon, clear_refs, page_idle, none };

/// Which data of a dataflow task decide where it runs once its last input is written (Drebes et al., PACT 2016,
/// Algorithm 1). `none`: no data. `input`: what it reads. `output`: what it writes. `weighted`: both, each with its
/// weight. The task is pushed to the memory node from whose cores its data cost the least (docs/TASKS.md).
enum class push_by : std::uint8_t { none, input, output, weighted };

/// When a buffer of a dataflow graph gets its memory. `immediate`: when the task that reads it is created, on the node
/// of the creator. `deferred`: when the task that writes it starts, on the node of the worker that runs that task.
enum class buffer_memory : std::uint8_t { immediate, deferred };

/// The options of a runtime.
///
///     nearfork::config settings = nearfork::config::from_environment();
///     settings.workers = 4;
///     settings.set("policy", "laws");
///     nearfork::runtime four(settings);
///
/// Each option is a field, an environment variable and a command-line flag. config_options() has the table of all
/// three; docs/CONFIGURATION.md prints it, with units and allowed values.
/// Thread-safety: as with any value. The table's functions below may be called from any thread.
struct NEARFORK_STANDARD_LAYOUT config {
  /// In strict mode a policy that is named must be able to do its work. The default one is content with what the
  /// machine grants, and so is "auto" that is assigned to this field; set("policy", "auto") names it.
  std::string policy = "auto";       // one of policy_names()
  unsigned workers = 0;              // 0: as many as the machine grants
  std::string machine{};             // empty: the machine that runs the program
  std::string machine_folder{};      // where named machines are looked up; empty: the folder that came with nearfork
  pinning pin = pinning::automatic;  // whether each worker is bound to one PU
  bool pin_waits = false;            // a task tree that waits keeps a thread of its own (docs/TASKS.md)
  bool strict = false;               // what the system does not grant is an error
  power_use power = power_use::off;  // energy on the report, and clocks; nobody's clocks change unasked
  run_goal goal = run_goal::time;    // what clocks are chosen for, if power is managed
  std::string report{};              // empty: no report
  std::size_t stack_bytes = std::size_t{8} << 20;          // as threads have; only touched pages take memory
  unsigned spin_us = 50;                                   // microseconds
  unsigned profile_tasks = 1'000'000;                      // a task takes about 130 bytes until its plan is made
  std::uint64_t move_bytes = std::uint64_t{64} << 20;      // a kernel moves about 1 GiB per second
  std::size_t malloc_from = std::size_t{1} << 20;          // bytes; below, malloc and new stay the heap's
  placed_mallocs malloc_blocks = placed_mallocs::initial;  // of at least malloc_from bytes
  hotness_source hotness = hotness_source::automatic;      // what tells how hot data are
  unsigned hotness_cost = 15;  // thousandths of the gauged iteration that looking for hot data may take
  std::string record{};        // empty: no recording
  recorded_iterations record_iterations = recorded_iterations::one;  // of each region
  unsigned record_tasks = 10'000'000;  // a task takes about 24 bytes while its iteration runs, and 4 afterwards
  std::string trace{};                 // empty: no trace
  unsigned trace_events = 65'536;      // of each worker; an event takes 32 bytes
  unsigned trace_tasks = 0;            // 1: the trace has every task; n: one of n; 0: those that came from elsewhere
  push_by push = push_by::input;       // of dataflow tasks, on machines with several memory nodes
  buffer_memory alloc = buffer_memory::deferred;           // of dataflow graphs, on machines with several memory nodes
  std::uint64_t push_threshold = std::uint64_t{64} << 10;  // bytes; tasks with less data are not pushed
  double push_input_weight = 1;                            // of bytes that a task reads
  double push_output_weight = 1.5;  // of bytes that it writes: how much longer than a read a write takes
  unsigned mailbox_tasks = 128;     // pushed tasks that one worker's mailbox holds
  unsigned mpi_poll_us = 500;       // microseconds: how often workers poll while they have work
  unsigned mpi_stall_s = 60;        // seconds; 0: nobody looks for waits that are too long
  std::uint64_t seed = 1;           // of the choices that workers make at random
  std::string name = "nearfork";    // of the runtime, on its report

  /// The defaults, changed by the NEARFORK_* variables of the environment. An empty variable counts as unset.
  /// A privileged program (setuid, setgid, or a file with capabilities) gets the defaults alone, because its
  /// environment belongs to the user who started it; ignored_variables then names the variables that were set.
  /// Thread-safety: as getenv(): no other thread may change the environment meanwhile.
  /// Throws: nearfork::error on unknown names and bad values. The message names all of them and lists what is allowed.
  [[nodiscard]] static config from_environment();

  /// Sets the option called `option` ("workers", "stack_bytes") from text. `where` says where the value comes from,
  /// such as "flag --workers": messages and source_of() show it.
  /// Throws: nearfork::error on an unknown name or a bad value; the config is then unchanged.
  void set(std::string_view option, std::string_view value, std::string_view where = "");

  /// The value of an option, as text that set() reads back. Throws: nearfork::error on an unknown name.
  [[nodiscard]] std::string text_of(std::string_view option) const;

  /// Where an option's value comes from: "default", "program" (the field was assigned), or the `where` of set().
  /// Throws: nearfork::error on an unknown name.
  [[nodiscard]] std::string source_of(std::string_view option) const;

  /// Checks the fields that the program assigned. Throws: nearfork::error if one is out of its range, or if two do not
  /// go together.
  void check() const;

  /// One call of set(). A field that the program assigns leaves no entry.
  struct setting {
    std::string option;  // its name
    std::string text;    // its value
    std::string where;   // the source, as source_of() shows it
  };
  /// All calls of set(), for source_of().
  std::vector<setting> settings{};

  /// Variables that from_environment() found and ignored, for the run report: {"NEARFORK_REPORT"}.
  std::vector<std::string> ignored_variables{};
};

/// One row of the table of options.
struct config_option {
  std::string name;           // the name of the field in config
  std::string environment;    // NEARFORK_...
  std::string flag;           // --...
  std::string type;           // what kind of value it has
  std::string default_value;  // as text
  std::string allowed;        // which values it takes
  std::string unit;           // empty: none
  std::string meaning;        // one sentence
};

/// The table of options, in the order of the fields.
NEARFORK_STANDARD_LAYOUT [[nodiscard]] std::vector<config_option> config_options();

/// One variable of an environment.
struct environment_entry {
  std::string name;   // NEARFORK_WORKERS
  std::string value;  // 4
};

/// As config::from_environment(), from a given environment. Skips names that do not start with NEARFORK_, and also
/// NEARFORK_BUILD_* and NEARFORK_TEST_*, which belong to the build and the tests.
/// Throws: nearfork::error as config::from_environment().
[[nodiscard]] config config_from(std::span<const environment_entry> environment);

/// The text of docs/CONFIGURATION.md.
[[nodiscard]] std::string config_markdown();

/// The names that config::policy may have.
NEARFORK_STANDARD_LAYOUT [[nodiscard]] std::vector<std::string> policy_names();

}  // namespace nearfork
