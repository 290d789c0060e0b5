#include "power/cpufreq_policy.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"

namespace nearfork {
namespace {

constexpr number_range khz_range{1, std::numeric_limits<std::uint32_t>::max()};
constexpr std::string_view folder_prefix = "policy";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

template <class Number>
std::vector<Number> numbers_of(const std::string& text) {
  std::vector<Number> numbers;
  for (const std::string& word : words_of(text))
    if (const auto number = parse_number(word, {0, std::numeric_limits<Number>::max()}))
      numbers.push_back(static_cast<Number>(*number));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Reads the files of one policy, and keeps what is wrong with them.
class policy_reader {
 public:
  policy_reader(const system_files& files, unsigned number, std::vector<file_refusal>& refused)
      : files_(files), refused_(refused) {
    made_.number = number;
  }

  /// nullopt: its CPUs are all offline, or a file is refused.
  [[nodiscard]] std::optional<cpufreq_policy> read() {
    const std::size_t refused_before = refused_.size();
    made_.cpus = numbers_of<unsigned>(needed("affected_cpus"));
    if (made_.cpus.empty()) return std::nullopt;  // offline: the other files are refused then
    made_.governor = needed("scaling_governor");
    made_.least_khz = khz("scaling_min_freq");
    made_.most_khz = khz("scaling_max_freq");
    if (refused_.size() > refused_before) return std::nullopt;
    if (made_.least_khz > made_.most_khz) std::swap(made_.least_khz, made_.most_khz);
    made_.base_khz = wanted_khz("base_frequency");
    if (made_.base_khz == 0) made_.base_khz = wanted_khz("cpuinfo_max_freq");
    made_.offered_khz = numbers_of<std::uint32_t>(wanted("scaling_available_frequencies"));
    const std::vector<std::string> governors = words_of(wanted("scaling_available_governors"));
    if (std::ranges::find(governors, governor_by_user) != governors.end()) made_.way = clock_way::setspeed;
    if (made_.governor == governor_by_user) made_.setspeed_khz = wanted_khz("scaling_setspeed");
    return std::move(made_);
  }

 private:
  std::string wanted(const char* file) const { return files_.read(made_.path_of(file)).text; }
  std::uint32_t wanted_khz(const char* file) const {
    return static_cast<std::uint32_t>(parse_number(wanted(file), khz_range).value_or(0));
  }
  std::string needed(const char* file) {
    file_text got = files_.read(made_.path_of(file));
    if (got.error_number != 0)
      refused_.push_back({made_.path_of(file), got.error_number, with_number(got.error_number)});
    return std::move(got.text);
  }
  std::uint32_t khz(const char* file) {
    const std::size_t refused_before = refused_.size();
    const std::string text = needed(file);
    const auto number = parse_number(text, khz_range);
    if (!number && refused_.size() == refused_before)
      refused_.push_back({made_.path_of(file), 0, "it holds " + quoted(text) + ", which is no frequency"});
    return static_cast<std::uint32_t>(number.value_or(0));
  }

  const system_files& files_;
  std::vector<file_refusal>& refused_;
  cpufreq_policy made_;
};

}  // namespace

std::uint32_t cpufreq_policy::normal_khz() const noexcept {
  return base_khz == 0 ? most_khz : std::clamp(base_khz, least_khz, most_khz);
}

/// Rounds down: a clock above the wish would take more power than was shared out. The kernel would round up.
std::uint32_t cpufreq_policy::possible_khz(std::uint32_t wished_khz) const noexcept {
  const std::uint32_t wished = std::clamp(wished_khz, least_khz, most_khz);
  std::uint32_t best = 0;
  for (const std::uint32_t offered : offered_khz)
    if (offered >= least_khz && offered <= wished) best = offered;
  if (best != 0) return best;
  for (const std::uint32_t offered : offered_khz)
    if (offered >= least_khz && offered <= most_khz) return offered;
  return wished;
}

std::string cpufreq_policy::path_of(const char* file) const {
  return std::string(cpufreq_folder) + "/" + std::string(folder_prefix) + std::to_string(number) + "/" + file;
}

cpufreq_reading read_cpufreq(const system_files& files) {
  cpufreq_reading made;
  bool any = false;
  for (const std::string& name : files.names_in(cpufreq_folder)) {
    if (!name.starts_with(folder_prefix)) continue;
    const auto number =
        parse_number(std::string_view(name).substr(folder_prefix.size()), {0, std::numeric_limits<unsigned>::max()});
    if (!number) continue;
    any = true;
    if (auto policy = policy_reader(files, static_cast<unsigned>(*number), made.refused).read())
      made.policies.push_back(*std::move(policy));
  }
  std::ranges::sort(made.policies, {}, &cpufreq_policy::number);
  if (!any)
    made.refused.push_back(
        {cpufreq_folder, ENOENT, "the kernel shows no clocks: this is a virtual machine, or has no cpufreq driver"});
  return made;
}

std::vector<std::string> written_files(const cpufreq_policy& policy) {
  if (policy.way == clock_way::setspeed)
    return {policy.path_of("scaling_governor"), policy.path_of("scaling_setspeed")};
  return {policy.path_of("scaling_max_freq"), policy.path_of("scaling_min_freq")};
}

}  // namespace nearfork
