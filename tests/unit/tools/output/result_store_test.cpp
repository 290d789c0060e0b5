#include "tools/output/result_store.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "base/process_number.hpp"

namespace nearfork::tools {
namespace {

struct sample_result {
  std::string name;
  std::vector<double> times;
  friend bool operator==(const sample_result&, const sample_result&) = default;
};

class result_stores : public testing::Test {
 protected:
  [[nodiscard]] result_store store(const std::string& run = "laws") const { return {path_, "flag --keep", run}; }
  [[nodiscard]] std::string refusal(const std::string& run = "laws") const {
    try {
      (void)store(run);
    } catch (const error& refused) {
      return refused.what();
    }
    return "";
  }
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  const std::string path_ = testing::TempDir() + "/nearfork_results_" + std::to_string(process_number());
  const sample_result one_{"heat", {1, 2.5}};
  const sample_result other_{"sor", {}};
};

TEST_F(result_stores, give_back_what_an_earlier_call_kept) {
  {
    result_store first = store();
    EXPECT_EQ(first.found(), 0U);
    EXPECT_EQ(first.numbers(2), 0U);
    EXPECT_EQ(first.numbers(1), 2U);
    first.keep(2, "sor", other_);
    first.keep(0, "heat", one_);
    EXPECT_EQ(first.find<sample_result>(0, "heat"), one_);
  }
  result_store second = store();
  EXPECT_EQ(second.found(), 2U);
  EXPECT_EQ(second.numbers(2), 0U);
  EXPECT_EQ(second.find<sample_result>(0, "heat"), one_);
  EXPECT_EQ(second.find<sample_result>(1, "heat"), std::nullopt);
  EXPECT_EQ(second.find<sample_result>(2, "sor"), other_);
  EXPECT_THROW((void)second.find<sample_result>(2, "heat"), error);
}

TEST_F(result_stores, refuse_results_of_another_run) {
  store().keep(0, "heat", one_);
  EXPECT_NE(refusal("saws").find("has results of another run, laws, where this is saws"), std::string::npos);
  EXPECT_EQ(refusal(), "");
}

TEST_F(result_stores, refuse_what_is_damaged_wherever_it_is) {
  store().keep(0, "heat", one_);
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write(changed);
    EXPECT_NE(refusal(), "") << i;
    write(whole.substr(0, i));
    if (i > 0) {
      EXPECT_NE(refusal(), "") << i;
    }
  }
  write("a letter to somebody");
  EXPECT_NE(refusal().find("is no file of results that nearfork kept"), std::string::npos) << refusal();
  EXPECT_EQ(bytes(), "a letter to somebody");
}

TEST_F(result_stores, begin_in_an_empty_file) {
  write("");
  EXPECT_EQ(refusal(), "");
}

TEST_F(result_stores, say_at_once_where_nothing_can_be_written) {
  EXPECT_THROW((result_store{"/no/such/folder/results", "flag --keep", "laws"}), error);
}

}  // namespace
}  // namespace nearfork::tools
