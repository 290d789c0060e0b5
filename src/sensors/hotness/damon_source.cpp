#include "sensors/hotness/damon_source.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text/message_text.hpp"
#include "base/text/number_text.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork {
namespace {

const std::string folder = "/sys/kernel/mm/damon/admin/kdamonds/";
const std::string count_file = folder + "nr_kdamonds";
const std::string state_file_of_damon = folder + "0/state";
const std::string context = folder + "0/contexts/0/";
const std::string target = context + "targets/0/";
const std::string scheme = context + "schemes/0/";

constexpr std::uint64_t sample_us = 1000;
constexpr std::uint64_t samples_of_window = 20;
/// DAMON looks at one page of each region in each sample: more regions cost more, fewer tell less.
constexpr std::size_t wanted_regions = 512;
constexpr std::size_t most_regions = 2048;

std::optional<std::uint64_t> number_in(std::string_view text) {
  return parse_number(text, any_number);
}

heat_refusal refused_damon(const std::string& path, int error_number) {
  return {path + ": " + with_number(error_number),
          error_number == ENOENT ? "use Linux 6.2 or later, with CONFIG_DAMON_SYSFS and CONFIG_DAMON_VADDR"
                                 : "run as root, with a /sys that may be written",
          error_number == ENOENT};
}

/// Neighbouring chunks joined until there are few enough.
std::vector<address_range> joined(std::span<const address_range> chunks) {
  const std::size_t of_each = (chunks.size() + wanted_regions - 1) / wanted_regions;
  std::vector<address_range> made;
  std::size_t in_last = 0;
  for (const address_range& one : chunks) {
    if (!made.empty() && made.back().end == one.begin && in_last < of_each) {
      made.back().end = one.end;
      ++in_last;
    } else {
      made.push_back(one);
      in_last = 1;
    }
  }
  return made;
}

/// While it lives, processors forget their translations in each sample of DAMON. Without that a page that is used all
/// the time looks cold: DAMON clears its mark in the page table alone, and no processor reads the table again before
/// it needs the entry for something else.
class forgetting_thread {
 public:
  forgetting_thread(hotness_system& on, std::uint64_t& cost_ns) : on_(on), cost_ns_(cost_ns), thread_(begun()) {}
  ~forgetting_thread() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  forgetting_thread(const forgetting_thread&) = delete;
  forgetting_thread& operator=(const forgetting_thread&) = delete;

 private:
  [[nodiscard]] std::thread begun() {
    try {
      return std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return {};  // DAMON sees less then
    }
  }
  void run() noexcept {
    std::unique_lock lock(mutex_);
    do {
      if (on_.forget_translations() != 0) break;
    } while (!ended_.wait_for(lock, std::chrono::microseconds(sample_us), [this] { return ends_; }));
    cost_ns_ += on_.thread_time_ns();
  }

  hotness_system& on_;
  std::uint64_t& cost_ns_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

/// Another user's settings are left alone, unless they are those of a process that has ended.
std::optional<heat_refusal> damon_source::take() {
  const file_text count = system_->files().read(count_file);
  if (count.error_number != 0) return refused_damon(count_file, count.error_number);
  if (number_in(count.text) != 0U) {
    const file_text state = system_->files().read(state_file_of_damon);
    const auto of = number_in(system_->files().read(target + "pid_target").text);
    const bool is_left_over = number_in(count.text) == 1U && has_word(state.text, "off") && of && *of > 0 &&
                              *of <= 0x7fffffff && !system_->is_running(static_cast<int>(*of));
    if (!is_left_over) return heat_refusal{"DAMON is in use", "end what uses it: " + count_file + " must be 0"};
  }
  taken_ = true;
  const std::vector<setting> first{{count_file, "1"}, {folder + "0/contexts/nr_contexts", "1"}};
  if (auto refused = write_all(first)) return refused;
  const file_text known = system_->files().read(context + "avail_operations");
  // fvaddr leaves the regions where they are set; vaddr adds the rest of the process from time to time.
  operations_ = has_word(known.text, "fvaddr") ? "fvaddr" : "vaddr";
  if (!has_word(known.text, operations_)) {
    end();
    return heat_refusal{"DAMON knows no addresses of processes", "use a kernel with CONFIG_DAMON_VADDR", true};
  }
  return std::nullopt;
}

std::optional<heat_refusal> damon_source::write_all(const std::vector<setting>& all) {
  for (const setting& one : all) {
    const int refused = system_->files().write(one.file, one.text);
    if (refused == 0) continue;
    end();
    return refused_damon(one.file, refused);
  }
  return std::nullopt;
}

std::optional<heat_refusal> damon_source::try_out() {
  if (taken_) return std::nullopt;
  auto refused = take();
  end();
  return refused;
}

std::vector<damon_source::setting> damon_source::settings_for(std::span<const address_range> regions) const {
  constexpr const char* any_size = "18446744073709551615";
  constexpr const char* any_count = "4294967295";
  const auto number = [](auto value) { return std::to_string(value); };
  std::vector<setting> all{
      {context + "operations", operations_},
      {context + "monitoring_attrs/intervals/sample_us", number(sample_us)},
      {context + "monitoring_attrs/intervals/aggr_us", number(sample_us * samples_of_window)},
      {context + "monitoring_attrs/intervals/update_us", "3600000000"},
      {context + "monitoring_attrs/nr_regions/max", number(std::max(most_regions, 2 * regions.size()))},
      {context + "monitoring_attrs/nr_regions/min", number(std::max<std::size_t>(10, regions.size()))},
      {context + "targets/nr_targets", "1"},
      {target + "pid_target", number(system_->process())},
      {target + "regions/nr_regions", number(regions.size())}};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    all.push_back({target + "regions/" + number(i) + "/start", number(regions[i].begin)});
    all.push_back({target + "regions/" + number(i) + "/end", number(regions[i].end)});
  }
  // A scheme that counts, and does nothing, shows all regions.
  for (const auto& [file, text] :
       {std::pair{"nr_schemes", "1"}, std::pair{"0/action", "stat"}, std::pair{"0/access_pattern/sz/min", "0"},
        std::pair{"0/access_pattern/sz/max", any_size}, std::pair{"0/access_pattern/nr_accesses/min", "0"},
        std::pair{"0/access_pattern/nr_accesses/max", any_count}, std::pair{"0/access_pattern/age/min", "0"},
        std::pair{"0/access_pattern/age/max", any_count}})
    all.push_back({context + "schemes/" + file, text});
  all.push_back({state_file_of_damon, "on"});
  return all;
}

std::optional<heat_refusal> damon_source::begin(std::span<const address_range> chunks) {
  if (auto refused = take()) return refused;
  forgetting_ns_ = 0;
  chunks_.assign(chunks.begin(), chunks.end());
  return write_all(settings_for(joined(chunks)));
}

/// The kernel answers at the end of a window of its own, and counts what is used until then.
std::optional<heat_refusal> damon_source::close_window(std::span<double> heat) {
  {
    const forgetting_thread meanwhile(*system_, forgetting_ns_);
    if (const int refused = system_->files().write(state_file_of_damon, "update_schemes_tried_regions"); refused != 0)
      return refused_damon(state_file_of_damon, refused);
  }
  const auto page_bytes = static_cast<double>(system_->page_bytes());
  for (const std::string& one : system_->files().names_in(scheme + "tried_regions")) {
    if (!number_in(one)) continue;  // "total_bytes"
    std::string region = scheme + "tried_regions/";
    region.append(one).append("/");
    const auto start = number_in(system_->files().read(region + "start").text);
    const auto end = number_in(system_->files().read(region + "end").text);
    const auto accesses = number_in(system_->files().read(region + "nr_accesses").text);
    if (!start || !end || !accesses || *start >= *end || *accesses > samples_of_window * 1000)
      return heat_refusal{region + " is not in the form that is known", "use another source of hotness"};
    const double pages = static_cast<double>(*end - *start) / page_bytes;
    spread_heat(chunks_, {*start, *end}, pages * static_cast<double>(*accesses), heat);
  }
  return std::nullopt;
}

void damon_source::end() noexcept {
  if (!taken_) return;
  taken_ = false;
  (void)system_->files().write(state_file_of_damon, "off");  // refused if it is off already
  (void)system_->files().write(count_file, "0");
  chunks_.clear();
}

/// Two of its own: one has begun before.
std::uint64_t damon_source::least_window_ns() const noexcept {
  return 2 * sample_us * samples_of_window * 1000;
}

/// The first number of schedstat is the thread's time on a processor, in nanoseconds.
std::uint64_t damon_source::cost_elsewhere_ns() {
  const auto thread = number_in(system_->files().read(folder + "0/pid").text);
  if (!taken_ || !thread) return forgetting_ns_;
  const std::string text = system_->files().read("/proc/" + std::to_string(*thread) + "/schedstat").text;
  return forgetting_ns_ + number_in(std::string_view(text).substr(0, text.find(' '))).value_or(0);
}

}  // namespace nearfork
