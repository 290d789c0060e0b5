// docs/MACHINES.md agrees with machines/. NEARFORK_TEST_REGENERATE=1 rewrites the page.
#include "tools/topo/machines_page.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace nearfork::tools {
namespace {

TEST(machines_page, is_the_one_in_docs) {
  const std::string path = NEARFORK_SOURCE_DIR "/docs/MACHINES.md";
  const std::string page = machines_page(NEARFORK_SOURCE_DIR "/machines");
  if (std::getenv("NEARFORK_TEST_REGENERATE") != nullptr) std::ofstream(path) << page;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(page, text.str()) << "renew it with: nearfork topo --list --markdown > docs/MACHINES.md";
}

}  // namespace
}  // namespace nearfork::tools
