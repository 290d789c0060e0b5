// Are clocks set as the plan says, and never beyond the budget? Reads the kernel's files while a runtime manages them.
// usage: clocks watch | wait | throw
//   watch: one worker works, the others wait; wait: until a signal comes; throw: ends by an exception
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "numa_lab/lab_verdict.hpp"

namespace nearfork::lab {
namespace {

constexpr auto between_samples = std::chrono::milliseconds(1);

struct clock_policy {
  std::filesystem::path folder;
  std::uint64_t cores = 0;
  std::uint64_t least_khz = 0;
  std::uint64_t normal_khz = 0;  // the driver of the lab names no base frequency, so this is the highest
};

std::uint64_t number_in(const std::filesystem::path& file) {
  std::uint64_t number = 0;
  std::ifstream(file) >> number;
  return number;
}

std::uint64_t words_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t words = 0;
  for (std::string word; in >> word;) ++words;
  return words;
}

std::vector<clock_policy> clock_policies() {
  std::vector<clock_policy> all;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/cpu/cpufreq"))
    if (entry.path().filename().string().starts_with("policy"))
      all.push_back({.folder = entry.path(),
                     .cores = words_in(entry.path() / "affected_cpus"),
                     .least_khz = number_in(entry.path() / "scaling_min_freq"),
                     .normal_khz = number_in(entry.path() / "cpuinfo_max_freq")});
  return all;
}

double power_at(std::uint64_t khz) {
  const double ghz = static_cast<double>(khz) / 1e6;
  return ghz * ghz * ghz;
}

config managing() {
  config made;
  made.power = power_use::manage;
  made.strict = true;  // what is refused ends the program, and names the reason
  made.pin = pinning::on;
  made.spin_us = 0;
  return made;
}

/// What the kernel shows now, judged. True: some cores wait at the lowest clock, others work at the normal one.
bool look_at(const std::vector<clock_policy>& all, verdict& result) {
  double drawn = 0;
  double budget = 0;
  std::size_t lowest = 0;
  std::size_t normal = 0;
  for (const clock_policy& one : all) {
    const std::uint64_t khz = number_in(one.folder / "scaling_cur_freq");
    if (khz == one.least_khz) ++lowest;
    else if (khz == one.normal_khz) ++normal;
    else result.fault("{} is at {} kHz, which no plan names", one.folder.string(), khz);
    drawn += static_cast<double>(one.cores) * power_at(khz);
    budget += static_cast<double>(one.cores) * power_at(one.normal_khz);
  }
  if (drawn > budget * (1 + 1e-9)) result.fault("{} is drawn, of a budget of {}", drawn, budget);
  return lowest > 0 && normal > 0 && lowest + normal == all.size();
}

int watch() {
  verdict result;
  const std::vector<clock_policy> all = clock_policies();
  runtime managed(managing());
  const std::uint64_t said = managed.report().power.clocks;
  if (said != all.size()) result.fault("{} clocks are managed, and the kernel has {} policies", said, all.size());
  std::atomic<bool> ends{false};
  std::atomic<std::uint64_t> samples{0};
  std::atomic<std::uint64_t> as_planned{0};
  std::thread sampler([&] {
    for (; !ends.load(); samples.fetch_add(1)) {
      if (look_at(all, result)) as_planned.fetch_add(1);
      std::this_thread::sleep_for(between_samples);
    }
  });
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t before = as_planned.load();
    managed.run([&] {
      while (as_planned.load() < before + 3) std::this_thread::sleep_for(between_samples);
    });
  }
  ends.store(true);
  sampler.join();
  fmt::print("{} samples, {} of them with a worker at work beside others that wait\n", samples.load(),
             as_planned.load());
  return result.status();
}

int act(const std::string& how) {
  if (how == "watch") return watch();
  runtime managed(managing());
  std::cout << "ready" << std::endl;
  if (how == "throw") throw std::runtime_error("nobody catches this");
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace
}  // namespace nearfork::lab

int main(int argc, char** argv) {
  const std::string how = argc == 2 ? argv[1] : "";
  if (how == "watch") return nearfork::lab::exit_status_of([&] { return nearfork::lab::act(how); });
  return nearfork::lab::act(how);
}
