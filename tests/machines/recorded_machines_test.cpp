// Each machine of recorded/ and of the source tree's machines/ (golden texts in named/) is read and drawn as its golden
// text says. NEARFORK_TEST_REGENERATE=1 rewrites the texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "machine/model/machine.hpp"

namespace {

using namespace nearfork;
namespace fs = std::filesystem;

const fs::path folder = fs::path(NEARFORK_SOURCE_DIR) / "tests" / "machines" / "recorded";
const fs::path named_folder = fs::path(NEARFORK_SOURCE_DIR) / "machines";
const fs::path golden_texts_of_named = fs::path(NEARFORK_SOURCE_DIR) / "tests" / "machines" / "named";

std::vector<std::string> descriptions_in(const fs::path& place) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(place))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> descriptions() {
  std::vector<std::string> names = descriptions_in(folder);
  const std::vector<std::string> named = descriptions_in(named_folder);
  names.insert(names.end(), named.begin(), named.end());
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::shared_ptr<const machine> described(const std::string& name) {
  const fs::path place = fs::exists(folder / (name + ".xml")) ? folder : named_folder;
  return machine_from_xml(text_of(place / (name + ".xml")), name + ".xml");
}

class recorded_machine : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(all, recorded_machine, testing::ValuesIn(descriptions()), [](const auto& named) {
  std::string name = named.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST_P(recorded_machine, is_drawn_as_its_golden_text) {
  const bool is_named = !fs::exists(folder / (GetParam() + ".xml"));
  const fs::path golden = (is_named ? golden_texts_of_named : folder) / (GetParam() + ".txt");
  const std::string drawn = picture_of(*described(GetParam()));
  if (std::getenv("NEARFORK_TEST_REGENERATE") != nullptr) std::ofstream(golden) << drawn;
  EXPECT_EQ(drawn, text_of(golden));
}

TEST(recorded_machines, have_as_many_pus_as_their_names_say) {
  for (const std::string& name : descriptions_in(folder))
    EXPECT_EQ(described(name)->pus().size(), std::stoul(name)) << name;
}

TEST_P(recorded_machine, holds_together) {
  const auto shown = described(GetParam());
  std::size_t cores = 0;
  for (std::size_t d = 0; d < shown->domains().size(); ++d) {
    cores += shown->domains()[d].cores.size();
    EXPECT_FALSE(shown->domains()[d].cores.empty());
    for (const core_id id : shown->domains()[d].cores) EXPECT_EQ(index_of_id(shown->at(id).domain), d);
    for (const node_id id : shown->domains()[d].nodes) {
      const auto& locals = shown->at(id).domains;
      EXPECT_NE(std::find(locals.begin(), locals.end(), domain_id{static_cast<std::uint32_t>(d)}), locals.end());
    }
  }
  EXPECT_EQ(cores, shown->cores().size());
  std::size_t in_kinds = 0;
  for (const core_kind& kind : shown->core_kinds()) in_kinds += kind.cores;
  EXPECT_EQ(in_kinds, cores);
  for (std::size_t p = 0; p < shown->pus().size(); ++p) {
    const pu_id id{static_cast<std::uint32_t>(p)};
    EXPECT_EQ(shown->distance(id, id), steal_distance::core);
    EXPECT_EQ(shown->distance(id, pu_id{0}), shown->distance(pu_id{0}, id));
  }
  EXPECT_EQ(shown->suggested_workers(), shown->cores().size());
}

TEST(recorded_machines, are_at_least_twelve) {
  EXPECT_GE(descriptions().size(), 12U);
}

}  // namespace
