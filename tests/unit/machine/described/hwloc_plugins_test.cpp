#include "machine/described/hwloc_plugins.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

namespace nearfork {
namespace {

constexpr const char* variable = "HWLOC_PLUGINS_PATH";

std::string seen() {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "absent";
}

class hwloc_plugins : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv(variable) != nullptr) GTEST_SKIP() << variable << " is set";
  }
  void TearDown() override { ::unsetenv(variable); }
};

TEST_F(hwloc_plugins, are_hidden_for_a_while_at_most) {
  {
    const hwloc_plugins_hidden here;
    EXPECT_TRUE(seen().empty() || seen() == "absent");  // a sanitizer may have a thread of its own
  }
  EXPECT_EQ(seen(), "absent");
}

TEST_F(hwloc_plugins, stay_where_the_user_says) {
  ::setenv(variable, "/somewhere", 1);
  {
    const hwloc_plugins_hidden here;
    EXPECT_EQ(seen(), "/somewhere");
  }
  EXPECT_EQ(seen(), "/somewhere");
}

TEST_F(hwloc_plugins, are_not_hidden_from_other_threads) {
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over.load()) std::this_thread::yield();
  });
  {
    const hwloc_plugins_hidden here;
    EXPECT_EQ(seen(), "absent");
  }
  over.store(true);
  other.join();
}

}  // namespace
}  // namespace nearfork
