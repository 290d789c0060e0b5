#include "power/saved_frequencies.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <sstream>
#include <utility>

#include "base/text/number_text.hpp"

namespace nearfork {
namespace {

constexpr std::string_view first_line = "nearfork frequencies 1";
constexpr std::string_view last_line = "end";
constexpr std::string_view way_words[] = {"setspeed", "limits"};  // by clock_way

bool is_plain_word(std::string_view word) {
  return !word.empty() && word.size() <= 32 && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

template <class Number>
bool take(std::istringstream& from, std::string_view key, Number& into) {
  std::string name;
  std::string word;
  if (!(from >> name >> word) || name != key) return false;
  const auto number = parse_number(word, {0, static_cast<std::uint64_t>(std::numeric_limits<Number>::max())});
  if (number) into = static_cast<Number>(*number);
  return number.has_value();
}

/// "policy 0 way limits governor powersave setspeed 0 least 800000 most 3600000"
std::optional<saved_policy> parse_policy(const std::string& line) {
  std::istringstream in(line);
  saved_policy made;
  std::string key;
  std::string way;
  if (!take(in, "policy", made.number) || !(in >> key >> way) || key != "way") return std::nullopt;
  const auto known = std::ranges::find(way_words, way);
  if (known == std::end(way_words)) return std::nullopt;
  made.way = static_cast<clock_way>(known - std::begin(way_words));
  if (!(in >> key >> made.governor) || key != "governor" || !is_plain_word(made.governor)) return std::nullopt;
  if (!take(in, "setspeed", made.setspeed_khz) || !take(in, "least", made.least_khz) ||
      !take(in, "most", made.most_khz) || in >> key)
    return std::nullopt;
  return made;
}

std::string path_of(const saved_policy& of, const char* file) {
  return cpufreq_policy{.number = of.number}.path_of(file);
}

}  // namespace

saved_policy saved(const cpufreq_policy& found) {
  return {.number = found.number,
          .way = found.way,
          .governor = found.governor,
          .setspeed_khz = found.setspeed_khz,
          .least_khz = found.least_khz,
          .most_khz = found.most_khz};
}

std::string text_of(const saved_frequencies& all) {
  std::ostringstream out;
  out << first_line << "\nboot " << all.boot << "\nprocess " << all.process << '\n';
  for (const saved_policy& one : all.policies)
    out << "policy " << one.number << " way " << way_words[static_cast<std::size_t>(one.way)] << " governor "
        << one.governor << " setspeed " << one.setspeed_khz << " least " << one.least_khz << " most " << one.most_khz
        << '\n';
  out << last_line << '\n';
  return std::move(out).str();
}

std::optional<saved_frequencies> parse_saved(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string line;
  saved_frequencies made;
  if (!std::getline(in, line) || line != first_line || !std::getline(in, line) || !line.starts_with("boot "))
    return std::nullopt;
  made.boot = line.substr(5);
  if (!std::getline(in, line)) return std::nullopt;
  std::istringstream process(line);
  if (!take(process, "process", made.process)) return std::nullopt;
  while (std::getline(in, line)) {
    if (line == last_line) return made;
    auto policy = parse_policy(line);
    if (!policy) return std::nullopt;
    made.policies.push_back(*std::move(policy));
  }
  return std::nullopt;
}

/// The highest limit first: the lowest one that we set is never above it.
std::vector<restoring_write> writes_that_restore(const saved_policy& before) {
  if (before.way == clock_way::limits)
    return {{path_of(before, "scaling_max_freq"), std::to_string(before.most_khz), ""},
            {path_of(before, "scaling_min_freq"), std::to_string(before.least_khz), ""}};
  if (before.governor != governor_by_user)
    return {{path_of(before, "scaling_governor"), before.governor, governor_by_user}};
  if (before.setspeed_khz == 0) return {};
  return {{path_of(before, "scaling_setspeed"), std::to_string(before.setspeed_khz), ""}};
}

std::vector<restoring_failure> restore(const system_files& files, std::span<const restoring_write> writes) {
  std::vector<restoring_failure> failed;
  for (const restoring_write& one : writes) {
    if (!one.only_if.empty()) {
      const file_text now = files.read(one.path);
      if (now.error_number != 0) failed.push_back({one.path, now.error_number});
      if (now.text != one.only_if) continue;
    }
    if (const int refused = files.write(one.path, one.text); refused != 0) failed.push_back({one.path, refused});
  }
  return failed;
}

std::string boot_of(const system_files& files) {
  return files.read("/proc/sys/kernel/random/boot_id").text;
}

}  // namespace nearfork
