#include "sensors/hardware_counting.hpp"

#include <cerrno>
#include <utility>

#include "base/made_once.hpp"
#include "base/text/message_text.hpp"
#include "sensors/miss_events.hpp"

namespace nearfork {
namespace {

/// Up to this level the mainline kernel lets all users count their own user mode. Debian's and Ubuntu's kernels have
/// higher levels.
constexpr int last_open_level = 2;

constexpr const char* let_container =
    "run the container with --cap-add PERFMON, or a seccomp profile that allows perf_event_open";

counting_refusal denied(int error_number, std::optional<int> paranoid_level) {
  if (paranoid_level && *paranoid_level > last_open_level)
    return {"kernel.perf_event_paranoid is " + std::to_string(*paranoid_level),
            "sudo sysctl kernel.perf_event_paranoid=2, or give the program CAP_PERFMON"};
  return {"perf_event_open is refused, probably by a container's seccomp profile: " + with_number(error_number),
          let_container};
}

counting_refusal no_hardware(int error_number, bool virtual_machine) {
  if (virtual_machine)
    return {"this virtual machine has no hardware counters, " + with_number(error_number),
            "give the machine a virtual PMU (for QEMU: -cpu host,pmu=on), or run on real hardware"};
  return {"no hardware counters here (a virtual machine, or a kernel without a driver for them), " +
              with_number(error_number),
          "run on real hardware, with a kernel that knows it"};
}

std::string sum_text(const miss_event_row& row) {
  std::string text;
  for (const std::string_view event : row.events)
    if (!event.empty()) text += (text.empty() ? "" : " + ") + std::string(event);
  return text;
}

counting_refusal no_event(const cpu_model& which) {
  if (which.several_kinds)
    return {"the cores are of several kinds, and no one event counts on all of them",
            "restrict the program to one kind"};
  return {"no event known for " + text_of(which), "add a row to src/sensors/miss_events.cpp"};
}

/// True for refusals that concern the whole program: another thread would get them, too.
bool is_lasting(int error_number) {
  return error_number != 0 && error_number != EMFILE && error_number != ENFILE && error_number != ENOMEM;
}

}  // namespace

counting_refusal refusal_of(int error_number, std::optional<int> paranoid_level, bool virtual_machine) {
  switch (error_number) {
    case EACCES:
    case EPERM: return denied(error_number, paranoid_level);
    case ENOSYS:
      return {"the kernel, or a sandbox in its place, has no perf_event_open, " + with_number(ENOSYS),
              "use a kernel with CONFIG_PERF_EVENTS, outside the sandbox"};
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return no_hardware(error_number, virtual_machine);
    case EMFILE:
    case ENFILE: return {"no file descriptor is left, " + with_number(error_number), "raise the limit (ulimit -n)"};
    case EBUSY:
      return {"another program holds the counters for itself, " + with_number(EBUSY), "end it (perf, a profiler)"};
    case EINVAL:
      return {"the kernel does not take the event, or not all of them at once, " + with_number(EINVAL),
              "sudo sysctl kernel.nmi_watchdog=0 frees a counter; else use a newer kernel"};
    default: return {"perf_event_open is refused: " + with_number(error_number), "see perf_event_open(2)"};
  }
}

counting_refusal hardware_counting::find_events(const cpu_model& which, preparation& into) const {
  const miss_event_row* const row = miss_events_of(which);
  if (row == nullptr) return no_event(which);
  into.counted = {sum_text(*row), row->line_bytes};
  for (const std::string_view event : row->events) {
    if (event.empty()) continue;
    event_encoding encoded = system_->encode(std::string(event));
    if (!encoded.code) return std::move(encoded.refused);
    into.codes.push_back(*encoded.code);
  }
  return {};
}

/// First tries whether anything can be counted: if not, a newer libpfm4 does not help.
hardware_counting::preparation hardware_counting::prepare() const {
  preparation made;
  const cpu_model which = cpu_model_of(system_->cpuinfo());
  made.virtual_machine = which.virtual_machine;
  const int refused = system_->try_hardware_counter();
  made.refused = is_lasting(refused) ? refusal_of_system(refused, which.virtual_machine) : find_events(which, made);
  return made;
}

counter_opening hardware_counting::open_for_this_thread() const {
  std::call_once(once_, [this] { prepared_ = prepare(); });
  if (!prepared_.refused.why.empty()) return {nullptr, {}, prepared_.refused};
  perf_opening opened = system_->open(prepared_.codes);
  if (opened.counter == nullptr)
    return {nullptr, prepared_.counted, refusal_of_system(opened.error_number, prepared_.virtual_machine)};
  return {std::move(opened.counter), prepared_.counted, {}};
}

std::shared_ptr<const miss_counting> live_miss_counting() {
  static constinit made_once<const std::shared_ptr<const hardware_counting>> live;
  return live.get([] { return std::make_shared<const hardware_counting>(live_counting_system()); });
}

}  // namespace nearfork
