#include "machine/described/named_machines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include <nearfork/error.hpp>

#include "base/privileged.hpp"
#include "base/text/word_choice.hpp"

namespace nearfork {
namespace {

constexpr const char* folder_variable = "NEARFORK_MACHINE_FOLDER";
constexpr const char* below_prefix = "/share/nearfork/machines";
// lib/x86_64-linux-gnu/libnearfork.so is two folders below its prefix, a test of a build tree three.
constexpr int most_levels_up = 4;
constexpr std::size_t most_model_file_bytes = std::size_t{1} << 20;

/// From the folder of this code upward.
std::vector<std::string> folders_above_this_code() {
  std::vector<std::string> folders;
  std::string at = folder_of_this_code();
  for (int i = 0; i < most_levels_up && !at.empty(); ++i) {
    folders.push_back(at + below_prefix);
    at.resize(at.rfind('/') == at.npos ? 0 : at.rfind('/'));
  }
  return folders;
}

std::string named_folder(const std::string& folder, const char* said_by) {
  if (!is_folder(folder))
    throw error("nearfork: " + folder + ", which " + said_by + " names as the folder of machines, is no folder");
  return folder;
}

std::string found_in(const std::vector<std::string>& candidates) {
  const auto found = std::ranges::find_if(candidates, is_folder);
  if (found != candidates.end()) return *found;
  std::string looked;
  for (const std::string& one : candidates) looked.append(looked.empty() ? "" : ", ").append(one);
  throw error("nearfork: there is no folder of named machines (looked for " + looked + "); set " +
              (is_privileged() ? "machine_folder in the program" : folder_variable) +
              " to share/nearfork/machines below the place where nearfork was installed");
}

}  // namespace

std::string machine_folder(const std::string& folder) {
  if (!folder.empty()) return named_folder(folder, "the configuration");
  // The user who starts a privileged program chooses its environment, and the link by which it is called.
  if (is_privileged()) return found_in({NEARFORK_INSTALLED_MACHINES});
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the manual forbids to change the environment while a machine is read
  if (const char* const told = std::getenv(folder_variable); told != nullptr && *told != '\0')
    return named_folder(told, folder_variable);
  std::vector<std::string> candidates = folders_above_this_code();
  candidates.emplace_back(NEARFORK_INSTALLED_MACHINES);
  return found_in(candidates);
}

std::vector<std::string> machine_names(const std::string& folder) {
  constexpr std::string_view ending = ".xml";
  const std::string place = machine_folder(folder) + "/";
  std::vector<std::string> names;
  for (std::string& one : names_in(place)) {
    if (!one.ends_with(ending) || !is_file(std::string(place).append(one))) continue;
    one.resize(one.size() - ending.size());
    if (looks_like_machine_name(one)) names.push_back(std::move(one));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool looks_like_machine_name(std::string_view text) noexcept {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= 64 && letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

std::shared_ptr<const machine> named_machine(std::string_view name, const std::string& folder) {
  const std::vector<std::string> known = machine_names(folder);
  if (std::ranges::find(known, name) == known.end())
    throw error("nearfork: no machine is called \"" + std::string(name.substr(0, 64)) + "\"" +
                did_you_mean(name, known) + "; known: " + listed(known) +
                R"(; or give an lstopo XML file, or a synthetic description such as "package:2 l3:1 core:4 pu:1")");
  const auto described = machine_from_xml_file(machine_folder(folder) + "/" + std::string(name) + ".xml");
  machine_parts parts = described->parts();
  parts.known_as = name;
  if (parts.model_file.empty())
    throw error("nearfork: " + parts.described_by + " has no model beside it: " + std::string(name) +
                ".model is missing");
  return std::make_shared<const machine>(std::move(parts));
}

std::string text_of_model_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw error("nearfork: cannot open the model file " + path + ": " + std::strerror(errno));
  std::string text(most_model_file_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || text.empty())
    throw error("nearfork: cannot read the model file " + path + ": it is empty or not a file");
  if (text.size() > most_model_file_bytes) throw error("nearfork: the model file " + path + " has more than 1 MiB");
  return text;
}

}  // namespace nearfork
