#include "sensors/energy_meter.hpp"

#include <cerrno>
#include <limits>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "machine/live/number_list.hpp"

namespace nearfork {
namespace {

constexpr const char* zones = "/sys/class/powercap";
constexpr const char* perf_power = "/sys/bus/event_source/devices/power";
constexpr const char* let_read = "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj";
constexpr const char* let_perf = "sudo sysctl kernel.perf_event_paranoid=0, or give the program CAP_PERFMON";
constexpr const char* load_driver = "on real hardware: sudo modprobe intel_rapl_msr";

std::optional<std::uint64_t> number_in(const system_files& files, const std::string& path) {
  const file_text got = files.read(path);
  return got.error_number == 0 ? parse_number(got.text, any_number) : std::nullopt;
}

/// Why a file of powercap has no number.
energy_refusal refusal_of(const system_files& files, const std::string& path) {
  const file_text got = files.read(path);
  if (got.error_number != 0) return {path, with_number(got.error_number), let_read};
  return {path, "it holds " + quoted(got.text) + ", which is no number", "report this to the kernel's driver"};
}

class powercap_source final : public energy_source {
 public:
  powercap_source(std::shared_ptr<const system_files> files, std::string path)
      : files_(std::move(files)), path_(std::move(path)) {}
  std::optional<std::uint64_t> read_uj() const override { return number_in(*files_, path_); }
  energy_refusal refusal() const override { return refusal_of(*files_, path_); }

 private:
  const std::shared_ptr<const system_files> files_;
  const std::string path_;
};

class perf_source final : public energy_source {
 public:
  perf_source(std::unique_ptr<const package_counter> counter, std::string event, double joules_per_count)
      : counter_(std::move(counter)), event_(std::move(event)), uj_per_count_(joules_per_count * 1e6) {}
  std::optional<std::uint64_t> read_uj() const override {
    const std::optional<std::uint64_t> count = counter_->read();
    if (!count) return std::nullopt;
    return static_cast<std::uint64_t>(static_cast<double>(*count) * uj_per_count_);
  }
  energy_refusal refusal() const override {
    return {event_, "the counter cannot be read any more (is its CPU offline?)", "leave all CPUs online"};
  }

 private:
  const std::unique_ptr<const package_counter> counter_;
  const std::string event_;
  const double uj_per_count_;
};

/// "event=0x02" -> 2.
std::optional<std::uint64_t> event_number(const std::string& text) {
  constexpr std::string_view key = "event=";
  return text.starts_with(key) ? parse_number(std::string_view(text).substr(key.size()), any_number) : std::nullopt;
}

}  // namespace

energy_meter::energy_meter(std::shared_ptr<const system_files> files, const package_counter_opener& open)
    : files_(std::move(files)) {
  energy_refusal by_powercap = open_powercap();
  if (by_powercap.where.empty()) {
    read_by_ = "powercap";
    return;
  }
  packages_.clear();
  const energy_refusal by_perf = open_perf(open);
  if (by_perf.where.empty()) {
    read_by_ = "perf";
    return;
  }
  packages_.clear();
  refused_ = std::move(by_powercap);
  refused_.why += "; by perf: " + by_perf.where + ": " + by_perf.why;
}

/// The first reading is what later ones count from.
energy_refusal energy_meter::add_package(package made) {
  const std::optional<std::uint64_t> now = made.source->read_uj();
  if (!now) return made.source->refusal();
  made.last_uj = *now;
  packages_.push_back(std::move(made));
  return {};
}

/// Zones of parts of a package (intel-rapl:0:0) and of the whole platform (psys) are left alone: what they count is
/// within the packages, or more than these.
energy_refusal energy_meter::open_powercap() {
  for (const std::string& zone : files_->names_in(zones)) {
    const std::string folder = std::string(zones) + "/" + zone;
    if (!zone.starts_with("intel-rapl:") || !files_->read(folder + "/name").text.starts_with("package-")) continue;
    const std::string path = folder + "/energy_uj";
    const std::optional<std::uint64_t> range = number_in(*files_, folder + "/max_energy_range_uj");
    if (!range || *range == 0) return refusal_of(*files_, folder + "/max_energy_range_uj");
    energy_refusal refused = add_package({.name = files_->read(folder + "/name").text,
                                          .source = std::make_unique<powercap_source>(files_, path),
                                          .range_uj = *range});
    if (!refused.where.empty()) return refused;
  }
  if (!packages_.empty()) return {};
  return {std::string(zones) + "/intel-rapl:0", with_number(ENOENT), load_driver};
}

energy_refusal energy_meter::open_perf(const package_counter_opener& open) {
  const std::string folder = perf_power;
  const std::string event = folder + "/events/energy-pkg";
  const std::optional<std::uint64_t> type = number_in(*files_, folder + "/type");
  const std::optional<std::uint64_t> number = event_number(files_->read(event).text);
  const std::optional<double> scale = parse_decimal(files_->read(event + ".scale").text);
  if (!type || !number || !scale || *scale <= 0) return {event, "this kernel has no such event", load_driver};
  const std::vector<unsigned> cpus = listed_numbers(files_->read(folder + "/cpumask").text);
  if (cpus.empty()) return {folder + "/cpumask", "it names no CPU", load_driver};
  for (const unsigned cpu : cpus) {
    package_counter_opening opened =
        open({.type = static_cast<std::uint32_t>(*type), .config = *number}, static_cast<int>(cpu));
    if (opened.counter == nullptr) return {event, with_number(opened.error_number), let_perf};
    energy_refusal refused =
        add_package({.name = "package-of-cpu-" + std::to_string(cpu),
                     .source = std::make_unique<perf_source>(std::move(opened.counter), event, *scale),
                     .range_uj = std::numeric_limits<std::uint64_t>::max()});
    if (!refused.where.empty()) return refused;
  }
  return {};
}

std::vector<std::string> energy_meter::package_names() const {
  std::vector<std::string> names;
  for (const package& one : packages_) names.push_back(one.name);
  return names;
}

std::optional<std::vector<std::uint64_t>> energy_meter::read_uj() {
  const std::lock_guard lock(mutex_);
  if (packages_.empty() || !lost_.where.empty()) return std::nullopt;
  std::vector<std::uint64_t> taken;
  for (package& one : packages_) {
    const std::optional<std::uint64_t> now = one.source->read_uj();
    if (!now) {
      lost_ = one.source->refusal();
      return std::nullopt;
    }
    one.taken_uj += taken_between(one.last_uj, *now, one.range_uj);
    one.last_uj = *now;
    taken.push_back(one.taken_uj);
  }
  return taken;
}

energy_refusal energy_meter::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace nearfork
