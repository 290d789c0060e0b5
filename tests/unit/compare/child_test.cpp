#include "bench/compare/child.hpp"

#include <gtest/gtest.h>

#include <system_error>

namespace bench {
namespace {

outcome of_shell(const std::string& script) {
  return run_copies("/bin/sh", {"-c", script}, 1).at(0);
}

TEST(child, tells_what_a_contender_said) {
  const outcome one = of_shell(
      R"(echo '{"right": true, "operations": 8, "operation": "fork", "peak_kib": 2, "seconds": [0.5, 0.25]}')");
  EXPECT_EQ(one.failure, "");
  EXPECT_EQ(one.seconds, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(one.operations, 8);
  EXPECT_EQ(one.operation, "fork");
  EXPECT_EQ(one.peak_bytes, 2048);
}

TEST(child, knows_a_wrong_answer_from_a_wrong_end) {
  const std::string said = R"(echo '{"right": %, "operations": 1, "operation": "", "peak_kib": 1, "seconds": [1]}'; )";
  const auto with = [&](const char* right) { return std::string(said).replace(said.find('%'), 1, right); };
  EXPECT_EQ(of_shell(with("false") + "exit 1").failure, "wrong answer");
  EXPECT_EQ(of_shell(with("true") + "exit 3").failure, "exit status 3");
}

TEST(child, survives_contenders_that_do_not) {
  EXPECT_EQ(of_shell("exit 7").failure, "exit status 7 and no result");
  EXPECT_EQ(of_shell("echo nonsense").failure, "exit status 0 and no result");
  EXPECT_EQ(of_shell("echo '[1, 2]'").failure, "exit status 0 and no result");
  EXPECT_EQ(of_shell("echo '{\"seconds\": 1}'").failure, "exit status 0 and no result");
  EXPECT_NE(of_shell("kill -9 $$").failure.find("ended by signal"), std::string::npos);
}

TEST(child, runs_as_many_copies_as_asked_for) {
  const auto both = run_copies("/bin/sh", {"-c", "sleep 0.1; exit 4"}, 3);
  ASSERT_EQ(both.size(), 3U);
  for (const outcome& one : both) EXPECT_EQ(one.failure, "exit status 4 and no result");
}

TEST(child, says_which_program_cannot_be_started) {
  try {
    (void)run_copies("/no/such/contender", {}, 1);
    FAIL() << "it was started";
  } catch (const std::system_error& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("/no/such/contender"), std::string::npos) << wrong.what();
  }
}

}  // namespace
}  // namespace bench
