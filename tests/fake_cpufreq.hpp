// A folder with the files of cpufreq and RAPL, in the place of /: what a machine could show.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/files/system_files.hpp"

namespace nearfork::test {

/// A folder that is removed at the end.
class fake_system {
 public:
  fake_system() {
    static std::atomic<unsigned> made{0};
    root_ = std::filesystem::temp_directory_path() /
            ("nearfork-power-" + std::to_string(::getpid()) + "-" + std::to_string(made.fetch_add(1)));
    put("/proc/sys/kernel/random/boot_id", "4f1c-boot");
    std::filesystem::create_directories(root_ + "/run/user/" + std::to_string(::geteuid()));
    std::filesystem::create_directories(root_ + "/tmp");
  }
  ~fake_system() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  fake_system(const fake_system&) = delete;
  fake_system& operator=(const fake_system&) = delete;

  [[nodiscard]] const std::string& root() const { return root_; }

  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << '\n';
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    std::ifstream in(root_ + path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(root_ + path); }

  [[nodiscard]] static std::string policy_file(unsigned policy, const std::string& file) {
    return "/sys/devices/system/cpu/cpufreq/policy" + std::to_string(policy) + "/" + file;
  }
  /// As acpi-cpufreq shows a policy: 1.0 to 2.6 GHz, 1.8 at base, governor schedutil, and userspace offered.
  void add_policy(unsigned number, const std::string& cpus) const {
    put(policy_file(number, "affected_cpus"), cpus);
    put(policy_file(number, "scaling_driver"), "acpi-cpufreq");
    put(policy_file(number, "scaling_governor"), "schedutil");
    put(policy_file(number, "scaling_available_governors"), "performance schedutil userspace");
    put(policy_file(number, "scaling_available_frequencies"), "2600000 2200000 1800000 1400000 1000000");
    put(policy_file(number, "scaling_min_freq"), "1000000");
    put(policy_file(number, "scaling_max_freq"), "2600000");
    put(policy_file(number, "scaling_setspeed"), "<unsupported>");
    put(policy_file(number, "base_frequency"), "1800000");
    put(policy_file(number, "cpuinfo_max_freq"), "2600000");
  }
  /// As intel_pstate does: any frequency between the limits, and no governor userspace.
  void add_policy_without_userspace(unsigned number, const std::string& cpus) const {
    add_policy(number, cpus);
    put(policy_file(number, "scaling_driver"), "intel_pstate");
    put(policy_file(number, "scaling_governor"), "powersave");
    put(policy_file(number, "scaling_available_governors"), "performance powersave");
    remove(policy_file(number, "scaling_available_frequencies"));
  }
  void add_package(unsigned number, std::uint64_t energy_uj, std::uint64_t range_uj) const {
    const std::string zone = "/sys/class/powercap/intel-rapl:" + std::to_string(number);
    put(zone + "/name", "package-" + std::to_string(number));
    put(zone + "/max_energy_range_uj", std::to_string(range_uj));
    set_energy(number, energy_uj);
  }
  void set_energy(unsigned number, std::uint64_t energy_uj) const {
    put("/sys/class/powercap/intel-rapl:" + std::to_string(number) + "/energy_uj", std::to_string(energy_uj));
  }
  [[nodiscard]] std::string setting_of(unsigned policy) const { return get(policy_file(policy, "scaling_setspeed")); }
  [[nodiscard]] std::string governor_of(unsigned policy) const { return get(policy_file(policy, "scaling_governor")); }

 private:
  std::string root_;
};

/// The files of a folder, some of which are refused. Notes what is written.
class watched_files final : public system_files {
 public:
  explicit watched_files(std::string root) : under_(live_system_files(std::move(root))) {}

  std::map<std::string, int> refuse_to_read{};   // by path: errno
  std::map<std::string, int> refuse_to_open{};   // for writing
  std::map<std::string, int> refuse_to_write{};  // although it could be opened
  mutable std::vector<std::pair<std::string, std::string>> written{};

  file_text read(const std::string& path) const override {
    const auto refused = refuse_to_read.find(path);
    return refused == refuse_to_read.end() ? under_->read(path) : file_text{.error_number = refused->second};
  }
  int write(const std::string& path, const std::string& text) const override {
    if (const int refused = try_to_open(path); refused != 0) return refused;
    if (const auto refused = refuse_to_write.find(path); refused != refuse_to_write.end()) return refused->second;
    written.emplace_back(path, text);
    return under_->write(path, text);
  }
  int try_to_open(const std::string& path) const override {
    const auto refused = refuse_to_open.find(path);
    return refused == refuse_to_open.end() ? under_->try_to_open(path) : refused->second;
  }
  std::vector<std::string> names_in(const std::string& folder) const override { return under_->names_in(folder); }
  std::string real_path(const std::string& path) const override { return under_->real_path(path); }

 private:
  std::shared_ptr<const system_files> under_;
};

}  // namespace nearfork::test
