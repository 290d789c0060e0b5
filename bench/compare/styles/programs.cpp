#include "bench/compare/styles/programs.hpp"

#include <algorithm>
#include <tuple>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "base/text/word_choice.hpp"
#include "bench/compare/entrants.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& one : fs::directory_iterator(folder, ignored)) entries.push_back(one.path());
  std::ranges::sort(entries);
  return entries;
}

/// Empty: all are chosen.
bool chosen(const std::vector<std::string>& among, const std::string& one) {
  return among.empty() || std::ranges::find(among, one) != among.end();
}

void add_built(std::vector<style>& to, const fs::path& build, const style_selection& wanted) {
  for (const fs::path& flags : sorted_entries(build / "styles")) {
    if (!fs::is_directory(flags) || !chosen(wanted.flags, flags.filename().string())) continue;
    for (const fs::path& family : sorted_entries(flags))
      for (const fs::path& folder : sorted_entries(family)) {
        style one{family.filename().string(), folder.filename().string(), label_of(build, "styles"),
                  flags.filename().string(), sorted_entries(folder)};
        if (one.is_serial() || chosen(wanted.names, one.name)) to.push_back(std::move(one));
      }
  }
}

bool has_forks(const std::vector<style>& all, const std::string& family) {
  return std::ranges::any_of(all, [&](const style& one) { return one.family == family && !one.is_serial(); });
}

/// A misspelt word would only be missing from the table.
void expect_each(const std::vector<std::string>& words, const std::vector<style>& all, std::string style::* part) {
  std::vector<std::string> known;
  for (const style& one : all)
    if (!one.is_serial() && std::ranges::find(known, one.*part) == known.end()) known.push_back(one.*part);
  for (const std::string& word : words)
    if (std::ranges::find(known, word) == known.end())
      throw nearfork::error("nothing that is built is called " + nearfork::quoted(word) +
                            nearfork::suggestion(word, known));
}

}  // namespace

std::vector<style> built_styles(const style_selection& wanted) {
  std::vector<style> there;
  for (const fs::path& build : wanted.builds) add_built(there, build, {});
  if (!there.empty()) {
    expect_each(wanted.names, there, &style::name);
    expect_each(wanted.flags, there, &style::flags);
  }
  std::vector<style> all;
  for (const fs::path& build : wanted.builds) add_built(all, build, wanted);
  std::vector<style> kept;
  for (const style& one : all)
    if (has_forks(all, one.family)) kept.push_back(one);
  std::ranges::sort(kept, {}, [](const style& one) {
    return std::tuple(one.family, !one.is_serial(), one.name, one.flags, one.build);
  });
  return kept;
}

}  // namespace bench
