#include "sensors/hotness/sample_source.hpp"

#include <algorithm>
#include <cerrno>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"

namespace nearfork {
namespace {

const std::string devices = "/sys/bus/event_source/devices/";

/// One load of so many is sampled, a prime number, so that loops do not fall into step with it.
constexpr std::uint64_t loads_of_sample = 2003;
constexpr std::uint64_t operations_of_sample = std::uint64_t{1} << 16;  // IBS counts in sixteens
/// About what an interrupt for a sample takes.
constexpr std::uint64_t ns_of_sample = 1000;

/// Where a term of an event goes: "config1:0-15".
bool put_term(event_code& into, std::string_view format, std::uint64_t value) {
  const auto colon = format.find(':');
  const std::string_view field = format.substr(0, colon);
  if (colon == format.npos) return false;
  const std::string_view bits = format.substr(colon + 1);
  const auto low = parse_number(bits.substr(0, bits.find('-')), {0, 63});
  if (!low) return false;
  if (field == "config") into.config |= value << *low;
  else if (field == "config1") into.config1 |= value << *low;
  else if (field == "config2") into.config2 |= value << *low;
  else return false;
  return true;
}

/// An event from the kernel's words for it: "event=0xcd,umask=0x1,ldlat=3". nullopt: it is not there, or is in another
/// form.
std::optional<event_code> event_named(const system_files& files, const std::string& device, const std::string& name) {
  const auto type = parse_number(files.read(devices + device + "/type").text, {0, 0xffffffff});
  std::string_view terms;
  const file_text words = files.read(devices + device + "/events/" + name);
  if (!type || words.error_number != 0) return std::nullopt;
  event_code made{.type = static_cast<std::uint32_t>(*type)};
  for (terms = words.text; !terms.empty();) {
    const std::string_view term = terms.substr(0, terms.find(','));
    terms.remove_prefix(std::min(terms.size(), term.size() + 1));
    const auto equals = term.find('=');
    const auto value = equals == term.npos ? 1 : parse_number(term.substr(equals + 1), any_number);
    const file_text format = files.read(devices + device + "/format/" + std::string(term.substr(0, equals)));
    if (!value || format.error_number != 0 || !put_term(made, format.text, *value)) return std::nullopt;
  }
  return made;
}

heat_refusal refused_samples(int error_number) {
  const bool is_denied = error_number == EACCES || error_number == EPERM;
  return {"perf_event_open: " + with_number(error_number),
          is_denied ? "sysctl kernel.perf_event_paranoid=1, or run as root" : "use another source of hotness",
          !is_denied};
}

std::vector<int> threads_of_process(const system_files& files) {
  std::vector<int> made;
  for (const std::string& one : files.names_in("/proc/self/task"))
    if (const auto number = parse_number(one, {1, 0x7fffffff})) made.push_back(static_cast<int>(*number));
  return made;
}

}  // namespace

sampling_choice sampling_event_of(const system_files& files) {
  for (const char* const device : {"cpu", "cpu_core"}) {
    if (const auto loads = event_named(files, device, "mem-loads"))
      return {.event = sampling_event{
                  .sampled = *loads, .beside = event_named(files, device, "mem-loads-aux"), .period = loads_of_sample}};
  }
  if (const auto type = parse_number(files.read(devices + "ibs_op/type").text, {0, 0xffffffff}))
    return {.event = sampling_event{.sampled = {.type = static_cast<std::uint32_t>(*type)},
                                    .period = operations_of_sample,
                                    .only_user = false}};
  const bool has_spe = files.read(devices + "arm_spe_0/type").error_number == 0;
  return {
      .event = std::nullopt,
      .refused = {has_spe ? "nearfork does not read the packets of arm_spe_0"
                          : "the processor has no memory samples that the system shows: neither mem-loads nor ibs_op",
                  "use another source of hotness", true}};
}

std::optional<heat_refusal> sample_source::open_rings() {
  const sampling_choice choice = sampling_event_of(system_->files());
  if (!choice.event) return choice.refused;
  const std::vector<int> threads = threads_of_process(system_->files());
  if (threads.empty()) return heat_refusal{"/proc/self/task cannot be read", "let the process use its own /proc"};
  for (const int thread : threads) {
    ring_opening opened = samples_->open(thread, *choice.event);
    if (opened.ring == nullptr && opened.error_number == ESRCH) continue;  // it has ended
    if (opened.ring == nullptr) {
      end();
      return refused_samples(opened.error_number);
    }
    rings_.push_back(std::move(opened.ring));
  }
  return std::nullopt;
}

std::optional<heat_refusal> sample_source::try_out() {
  auto refused = open_rings();
  end();
  return refused;
}

std::optional<heat_refusal> sample_source::begin(std::span<const address_range> chunks) {
  if (auto refused = open_rings()) return refused;
  chunks_.assign(chunks.begin(), chunks.end());
  taken_ = 0;
  return std::nullopt;
}

std::optional<heat_refusal> sample_source::open_window() {
  for (const auto& one : rings_) one->enable(true);
  return std::nullopt;
}

std::optional<heat_refusal> sample_source::close_window(std::span<double> heat) {
  for (const auto& one : rings_) one->enable(false);
  for (const auto& one : rings_) {
    const sampled_accesses taken = one->take();
    if (!taken.is_understood)
      return heat_refusal{"the records of perf_event are not in the form that is known",
                          "use another source of hotness"};
    taken_ += taken.samples.size() + taken.lost;
    for (const access_sample& sample : taken.samples)
      if (is_from_memory(sample.source)) spread_heat(chunks_, {sample.address, sample.address + 1}, 1, heat);
  }
  return std::nullopt;
}

void sample_source::end() noexcept {
  rings_.clear();
  chunks_.clear();
}

std::uint64_t sample_source::cost_elsewhere_ns() {
  return taken_ * ns_of_sample;
}

}  // namespace nearfork
