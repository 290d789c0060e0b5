#include "bench/compare/entrants.hpp"

#include <algorithm>
#include <fstream>
#include <set>

namespace bench {
namespace {

namespace fs = std::filesystem;

bool is_expensive(const std::string& contender) {
  return contender.starts_with("onetbb") || contender.starts_with("openmp");
}

bool chosen(const std::string& contender, const exhibit& shown, const selection& wanted) {
  if (contender == "serial") return true;  // what all others are compared with
  if (!wanted.contenders.empty() && std::ranges::find(wanted.contenders, contender) == wanted.contenders.end())
    return false;
  return shown.takes_part == who::all || wanted.expensive_ones_too || !is_expensive(contender);
}

/// "serial" first, then nearfork, then by name.
std::set<std::string> programs_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) names.insert(file.path().filename().string());
  return names;
}
int rank_of(const std::string& contender) {
  if (contender == "serial") return 0;
  return contender.starts_with("nearfork") ? 1 : 2;
}

}  // namespace

std::string label_of(const fs::path& build, const char* programs) {
  std::ifstream file(build / programs / "label");
  std::string label;
  if (file && std::getline(file, label) && !label.empty()) return label;
  return build.filename().string();
}

std::vector<entrant> entrants_for(const exhibit& shown, const selection& wanted) {
  std::vector<entrant> all;
  for (const fs::path& build : wanted.builds) {
    const fs::path folder = build / "contenders" / shown.problem;
    const std::string label = label_of(build, "contenders");
    for (const std::string& contender : programs_in(folder)) {
      if (!chosen(contender, shown, wanted)) continue;
      for (const unsigned workers : wanted.workers) {
        entrant one{label, contender, workers, 1, folder / contender};
        if (contender == "serial" && workers > 1) one.copies = workers;
        all.push_back(std::move(one));
      }
    }
  }
  std::ranges::stable_sort(
      all, [](const entrant& a, const entrant& b) { return rank_of(a.contender) < rank_of(b.contender); });
  return all;
}

}  // namespace bench
