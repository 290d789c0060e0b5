#include "arrows/arrows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace nearfork::arrows;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& line : all) text += line + '\n';
  return text;
}

TEST(arrows, source_tree_follows_them) {
  const auto tree = read_tree(NEARFORK_SOURCE_DIR, {"include", "src", "workloads", "tools", "bench"});
  ASSERT_GT(tree.size(), 50U) << "too few files below " NEARFORK_SOURCE_DIR ": the test looks in the wrong place";
  EXPECT_THAT(violations(tree), IsEmpty()) << lines(violations(tree));
}

TEST(arrows, sound_tree_has_no_violation) {
  const source_tree tree{
      {"src/base/rng.hpp", "#include <cstdint>\n"},
      {"src/plan/plans/plan.cpp",
       "#include \"plan/plan.hpp\"\n#include \"base/rng.hpp\"\n#include <nearfork/error.hpp>\n"},
      {"src/runtime/loop.cpp", "#include \"plan/plan.hpp\"\n#include <nearfork/runtime.hpp>\n#include <atomic>\n"},
      {"src/runtime/park_linux.cpp", "#include <unistd.h>\n"},
      {"include/nearfork/detail/seam.hpp", "#include <atomic>\n"},
      {"tools/topo/topo.cpp", "#include \"runtime/loop.hpp\"\n#include <fmt/core.h>\n"},
      {"workloads/contenders/heat_tbb.cpp", "#include <tbb/parallel_for.h>\n"},
  };
  EXPECT_THAT(violations(tree), IsEmpty());
}

struct planted {
  const char* file;
  const char* header;
};

void PrintTo(const planted& one, std::ostream* out) {
  *out << one.file << " includes " << one.header;
}

class planted_violation : public testing::TestWithParam<planted> {};

TEST_P(planted_violation, is_found_with_its_line) {
  const auto [file, header] = GetParam();
  const source_tree tree{{file, std::string("// first line\n#include <") + header + ">\n"},
                         {"include/nearfork/detail/seam.hpp", "#include <atomic>\n"}};
  EXPECT_THAT(violations(tree), ElementsAre(StartsWith(std::string(file) + ":2: includes " + header)));
}

INSTANTIATE_TEST_SUITE_P(
    each_rule, planted_violation,
    testing::Values(planted{"src/base/a.hpp", "machine/machine.hpp"},
                    planted{"src/machine/a.cpp", "runtime/worker.hpp"}, planted{"src/plan/a.cpp", "runtime/worker.hpp"},
                    planted{"src/runtime/a.cpp", "sim/clock.hpp"}, planted{"src/sim/a.cpp", "runtime/worker.hpp"},
                    planted{"src/machine/a.cpp", "nearfork/runtime.hpp"}, planted{"src/plan/a.hpp", "thread"},
                    planted{"src/plan/a.hpp", "chrono"}, planted{"src/plan/a.hpp", "nearfork/detail/seam.hpp"},
                    planted{"include/nearfork/a.hpp", "runtime/worker.hpp"},
                    planted{"workloads/heat.cpp", "plan/plan.hpp"}, planted{"workloads/heat.cpp", "fmt/core.h"},
                    planted{"src/runtime/a.cpp", "nlohmann/json.hpp"}, planted{"src/runtime/a.cpp", "unistd.h"},
                    planted{"tools/topo/topo.cpp", "sys/ioctl.h"}));

TEST(arrows, impurity_is_found_through_other_headers) {
  const source_tree tree{{"src/plan/a.cpp", "#include \"machine/model/machine.hpp\"\n"},
                         {"src/machine/model/machine.hpp", "#include \"base/once.hpp\"\n"},
                         {"src/base/once.hpp", "#include <mutex>\n"}};
  EXPECT_THAT(violations(tree),
              ElementsAre(testing::HasSubstr("machine/model/machine.hpp -> base/once.hpp -> <mutex>")));
}

TEST(arrows, sub_room_follows_its_own) {
  const source_tree sound{{"src/plan/packing/a.cpp", "#include \"plan/plans/b.hpp\"\n"}, {"src/plan/plans/b.hpp", ""}};
  EXPECT_THAT(violations(sound), IsEmpty());
  const source_tree upward{{"src/plan/plans/b.hpp", "#include \"plan/packing/a.hpp\"\n"},
                           {"src/plan/packing/a.hpp", ""}};
  EXPECT_THAT(violations(upward), ElementsAre(testing::HasSubstr("no arrow leads from plan/plans to plan/packing")));
  const source_tree command{{"tools/output/a.cpp", "#include \"tools/sim/b.hpp\"\n"}, {"tools/sim/b.hpp", ""}};
  EXPECT_THAT(violations(command), ElementsAre(testing::HasSubstr("no arrow leads from tools/output to tools/sim")));
}

TEST(arrows, lead_in_no_circle) {
  for (const auto& [from, targets] : arrows_between_folders()) {
    std::set<std::string> reached;
    std::vector<std::string> next(targets.begin(), targets.end());
    while (!next.empty()) {
      const std::string one = next.back();
      next.pop_back();
      if (!reached.insert(one).second) continue;
      EXPECT_NE(one, from) << "a circle through " << from;
      if (const auto more = arrows_between_folders().find(one); more != arrows_between_folders().end())
        next.insert(next.end(), more->second.begin(), more->second.end());
    }
  }
}

TEST(folders, have_at_most_twenty_files_and_files_at_most_400_lines) {
  constexpr std::size_t most_files = 20;
  constexpr std::ptrdiff_t most_lines = 400;
  std::map<std::string, std::size_t> files;
  for (const auto& [path, text] :
       read_tree(NEARFORK_SOURCE_DIR, {"include", "src", "workloads", "tools", "bench", "tests"})) {
    ++files[path.substr(0, path.rfind('/'))];
    EXPECT_LE(std::ranges::count(text, '\n'), most_lines) << path;
  }
  // Users include <nearfork/parallel_for.hpp> and know no rooms: one header a concept, and no folders below.
  constexpr std::size_t most_public_headers = 60;
  for (const auto& [folder, count] : files)
    EXPECT_LE(count, folder == "include/nearfork" ? most_public_headers : most_files) << folder;
}

TEST(arrows, unknown_room_is_named) {
  EXPECT_THAT(violations({{"src/utils/a.cpp", ""}}), ElementsAre(StartsWith("src/utils/a.cpp: src/utils is no room")));
}

TEST(arrows, commented_include_counts_for_nothing) {
  EXPECT_THAT(violations({{"src/plan/a.cpp", "// #include <thread>\n"}}), IsEmpty());
}

}  // namespace
